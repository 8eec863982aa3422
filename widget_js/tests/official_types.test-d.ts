/**
 * Our names against the types of the installed `ai`, both ways. Only tsc reads this file (`npm run check`).
 *
 * When a check fails, the compiler names the culprit: `Type '"text-rewind"' does not satisfy the constraint 'never'` says
 * that `ai` has a name which aisdk_lab/ui_stream/grammar.py lacks, or the other way round: the check's name says which.
 * The types are those that tests/interop pins (tsconfig `paths`), so that one place says which `ai` the lab follows.
 */

import type { UIDataTypes, UIMessageChunk, UIMessagePart, UITools } from "ai";
import type { Part } from "../src/document";
import type grammar from "../src/grammar.json";

type None<Names extends never> = Names;
type True<Fact extends true> = Fact;
type Has<Names, Wanted> = [Wanted] extends [Names] ? true : false;

interface Typed {
  type: string;
}
/** `data-${string}` is "data-*" in the grammar; a fixed name stays. */
type Named<Type extends string> = Type extends Type ? (`data-${string}` extends Type ? "data-*" : `tool-${string}` extends Type ? "tool-*" : Type) : never;
type NameOf<Item extends Typed> = Item extends Typed ? Named<Item["type"]> : never;

type OptionalKeys<Item> = { [Key in keyof Item]-?: object extends Pick<Item, Key> ? Key : never }[keyof Item];
/** Every field as "type.field", or "type.field?" when it may be absent. */
type FieldOf<Item extends Typed> = Item extends Typed ? FieldName<Item, NameOf<Item>, OptionalKeys<Item>> : never;
type FieldName<Item, Name extends string, Optional> = {
  [Key in Exclude<keyof Item, "type"> & string]: `${Name}.${Key}${Key extends Optional ? "?" : ""}`;
}[Exclude<keyof Item, "type"> & string];

type Chunks = typeof grammar.chunks;
type OurField = {
  [Type in keyof Chunks]: `${Type}.${(keyof Chunks[Type]["required"] & string) | `${keyof Chunks[Type]["optional"] & string}?`}`;
}[keyof Chunks];

type PartNames = keyof typeof grammar.parts extends infer Key ? (Key extends `${infer Kind}/${string}` ? Kind : Key) : never;
type Parts = typeof grammar.parts;
type OurPartField = {
  [Name in keyof Parts]: `${Name}.${(keyof Parts[Name]["required"] & string) | `${keyof Parts[Name]["optional"] & string}?`}`;
}[keyof Parts];
type PartNameOf<Item extends Typed> = Item extends { toolCallId: string; state: infer State extends string } ? `${NameOf<Item>}/${State}` : NameOf<Item>;
/** The fields of a part, those of its approval as "approval.id"; one that must be absent (`never`) is none. */
type PartFieldOf<Item extends Typed> = Item extends Typed
  ? FieldName<Present<Item>, PartNameOf<Item>, OptionalKeys<Item>> | ApprovalField<Item, `${PartNameOf<Item>}.approval`>
  : never;
type ApprovalField<Item, Name extends string> = Item extends { approval?: infer Approval }
  ? Approval extends object
    ? FieldName<Present<Approval>, Name, OptionalKeys<Approval>>
    : never
  : never;
type Present<Item> = { [Key in keyof Item as [Exclude<Item[Key], undefined>] extends [never] ? never : Key]: Item[Key] };

/** What the validator of `ai` says otherwise than its types; aisdk_lab/ui_stream/message_rules.py follows the validator. */
type SaidOtherwise =
  | `${"tool-*" | "dynamic-tool"}/output-error.input${"" | "?"}` // the validator lets it be absent, the types let it be undefined
  | "dynamic-tool/output-error.rawInput?"; // deprecated, and forgotten in the type of dynamic parts

/** What `ai` has and we lack. */
type MissingChunks<Chunk extends Typed> = Exclude<NameOf<Chunk>, keyof Chunks> | Exclude<FieldOf<Chunk>, OurField>;
type MissingParts<OfficialPart extends Typed> = Exclude<NameOf<OfficialPart>, PartNames> | Exclude<PartFieldOf<OfficialPart>, OurPartField | SaidOtherwise>;
type MissingStates<OfficialPart> = Exclude<StateOf<OfficialPart>, keyof typeof grammar.toolStates>;
/** What we have and `ai` lacks. */
type InventedChunks<Chunk extends Typed> = Exclude<keyof Chunks, NameOf<Chunk>> | Exclude<OurField, FieldOf<Chunk>>;
type InventedParts<OfficialPart extends Typed> = Exclude<PartNames, NameOf<OfficialPart>> | Exclude<OurPartField, PartFieldOf<OfficialPart> | SaidOtherwise>;
type InventedStates<OfficialPart> = Exclude<keyof typeof grammar.toolStates, StateOf<OfficialPart>>;

type OfficialPart = UIMessagePart<UIDataTypes, UITools>;
type StateOf<Item> = Item extends { toolCallId: string; state: infer State } ? State : never;
type ValueOf<Type, Key extends string> = Extract<UIMessageChunk, { type: Type }> extends { [K in Key]?: infer Value } ? Exclude<Value, undefined> : never;

export type ChunksOfAiThatWeLack = None<MissingChunks<UIMessageChunk>>;
export type ChunksThatAiLacks = None<InventedChunks<UIMessageChunk>>;
export type PartsOfAiThatWeLack = None<MissingParts<OfficialPart>>;
export type PartsThatAiLacks = None<InventedParts<OfficialPart>>;
export type ToolStatesOfAiThatWeLack = None<MissingStates<OfficialPart>>;
export type ToolStatesThatAiLacks = None<InventedStates<OfficialPart>>;

type OfficialReason = ValueOf<"finish", "finishReason">;
type OfficialEncoding = ValueOf<"tool-input-start", "inputEncoding">;
export type FinishReasonsOfAiThatWeLack = None<Exclude<OfficialReason, keyof typeof grammar.finishReasons>>;
export type FinishReasonsThatAiLacks = None<Exclude<keyof typeof grammar.finishReasons, OfficialReason>>;
export type EncodingsOfAiThatWeLack = None<Exclude<OfficialEncoding, keyof typeof grammar.inputEncodings>>;
export type EncodingsThatAiLacks = None<Exclude<keyof typeof grammar.inputEncodings, OfficialEncoding>>;

/** The view draws parts of `ai` only, and may leave some to its renderer for unknown ones. */
export type ViewPartsThatAiLacks = None<Exclude<NameOf<Part>, NameOf<OfficialPart>>>;

// ── the checks bite ─────────────────────────────────────────────────────────────────────────────────────────────────

type NewerChunk = UIMessageChunk | { type: "text-rewind"; id: string; by?: number };
type GrownChunk = Exclude<UIMessageChunk, { type: "abort" }> | { type: "abort"; reason?: string; code?: number };
type StricterChunk = Exclude<UIMessageChunk, { type: "abort" }> | { type: "abort"; reason: string };
type OlderChunk = Exclude<UIMessageChunk, { type: "reset-step" }>;
type NewerPart = OfficialPart | { type: "audio"; url: string } | { type: "dynamic-tool"; toolCallId: string; state: "input-paused"; until?: number };
type GrownPart =
  | Exclude<OfficialPart, { type: "text" }>
  | { type: "text"; text: string; language?: string; state?: "streaming" | "done"; citations?: never }
  | { type: "dynamic-tool"; toolCallId: string; state: "input-available"; approval: { id: string; by: string } };
type OlderPart = Exclude<OfficialPart, { type: "custom" } | { type: "dynamic-tool" }>;

export type Bites = [
  True<Has<MissingChunks<NewerChunk>, "text-rewind" | "text-rewind.id" | "text-rewind.by?">>,
  True<Has<MissingChunks<GrownChunk>, "abort.code?">>,
  True<Has<MissingChunks<StricterChunk>, "abort.reason">>,
  True<Has<InventedChunks<StricterChunk>, "abort.reason?">>,
  True<Has<InventedChunks<OlderChunk>, "reset-step">>,
  True<Has<MissingParts<NewerPart>, "audio" | "audio.url" | "dynamic-tool/input-paused.until?">>,
  True<Has<MissingParts<GrownPart>, "text.language?" | "dynamic-tool/input-available.approval.by">>,
  True<Has<InventedParts<GrownPart>, "text.citations?">>,
  True<Has<MissingStates<NewerPart>, "input-paused">>,
  True<Has<InventedParts<OlderPart>, "custom" | "dynamic-tool">>,
  // @ts-expect-error — the compiler refuses a name that is left over
  None<MissingChunks<NewerChunk>>,
];
