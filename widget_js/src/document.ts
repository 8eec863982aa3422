/**
 * The document: all that the kernel tells a view. The view is a pure function of it.
 *
 * Stage: between the kernel's Sidebar (aisdk_lab/widget) and the renderers. Keys are those of the wire. Parts are the
 * reduced parts of `ai` 7.0.173; the one reducer is in Python, so nothing here knows chunks.
 */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export interface TextPart {
  type: "text";
  text: string;
  state?: "streaming" | "done";
}

export interface ReasoningPart {
  type: "reasoning";
  id?: string;
  text: string;
  state?: "streaming" | "done";
}

export interface FilePart {
  type: "file" | "reasoning-file";
  mediaType: string;
  url: string;
  filename?: string;
}

export interface SourceUrlPart {
  type: "source-url";
  sourceId: string;
  url: string;
  title?: string;
}

export interface SourceDocumentPart {
  type: "source-document";
  sourceId: string;
  mediaType: string;
  title: string;
  filename?: string;
}

export interface StepStartPart {
  type: "step-start";
}

export interface DataPart {
  type: `data-${string}`;
  id?: string;
  data: Json;
}

export interface Approval {
  id: string;
  descriptor?: Json;
  requestReason?: string;
  isAutomatic?: boolean;
  approved?: boolean;
  reason?: string;
}

export type ToolState =
  | "input-streaming"
  | "input-available"
  | "approval-requested"
  | "approval-responded"
  | "output-available"
  | "output-error"
  | "output-denied";

export interface ToolPart {
  type: `tool-${string}` | "dynamic-tool";
  toolName?: string;
  toolCallId: string;
  state: ToolState;
  title?: string;
  input?: Json;
  rawInput?: Json;
  output?: Json;
  errorText?: string;
  approval?: Approval;
  preliminary?: boolean;
  providerExecuted?: boolean;
}

/** A part of a type that no renderer claims: shown as what it is, never dropped. */
export interface UnknownPart {
  type: "unknown";
  part: JsonObject;
}

export type Part =
  | TextPart
  | ReasoningPart
  | FilePart
  | SourceUrlPart
  | SourceDocumentPart
  | StepStartPart
  | DataPart
  | ToolPart;

export interface Message {
  id: string;
  role: "user" | "assistant" | "system";
  metadata?: Json;
  parts: Part[];
}

/** What a tool call is doing, as `ui_stream.tool_status` says it. */
export type ToolStatus =
  | "preparing"
  | "running"
  | "waiting"
  | "queued"
  | "approved-not-sent"
  | "denied"
  | "done"
  | "failed"
  | "interrupted"
  | "unknown";

export interface ToolEntry {
  status: ToolStatus;
  kind?: "server" | "client";
  durationMs?: number | null;
}

export interface Timing {
  durationMs?: number | null;
}

export interface ReplayState {
  speed: number;
  playing: boolean;
  position_ms: number;
  duration_ms: number;
}

export type ChatStatus = "ready" | "submitted" | "streaming" | "error";

/** How an exchange ended, as `Outcome.state` says it. */
export type EndState = "complete" | "waiting" | "error" | "aborted" | "truncated";

export interface Document {
  title: string;
  status: ChatStatus;
  error: { text: string } | null;
  /** The end of the last exchange; `null` while one goes on, and for a history that nobody watched. */
  ended: { state: EndState; messageId: string } | null;
  source: "live" | "replay";
  replay: ReplayState | null;
  suggestions: string[];
  clientTools: Record<string, { interactive?: boolean; inputSchema?: Json }>;
  messages: Message[];
  tools: Record<string, ToolEntry>;
  timings: Record<string, Timing>;
  queuedDecisions: Record<string, string>;
  notice: string | null;
  language: "en" | "zh";
}

export const EMPTY: Document = {
  title: "",
  status: "ready",
  error: null,
  ended: null,
  source: "live",
  replay: null,
  suggestions: [],
  clientTools: {},
  messages: [],
  tools: {},
  timings: {},
  queuedDecisions: {},
  notice: null,
  language: "en",
};

/** A document as it came, with every missing top-level key filled in: an older or younger kernel must not break the view. */
export function completeDocument(found: Partial<Document>): Document {
  const known = Object.entries(found).filter(([, value]) => value !== undefined);
  return { ...EMPTY, ...(Object.fromEntries(known) as Partial<Document>) };
}

/** One change: what to do, where, with what. `remove` has no value. */
export type Operation = [op: "append" | "add" | "set" | "remove", path: (string | number)[], value?: Json];

export interface Batch {
  type: "batch";
  seq: number;
  ops: Operation[];
}

export interface Snapshot {
  type: "snapshot";
  seq: number;
  document: Partial<Document>;
}

export type FromKernel = Batch | Snapshot;

export interface Sync {
  type: "sync";
  from: number;
}

/** What a user did. Each is one message, with its own `actionId`, so that two carriers cannot make it happen twice. */
export type Action =
  | { action: "send"; text: string }
  | { action: "stop" }
  | { action: "retry" }
  | { action: "clearError" }
  | { action: "approve"; approvalId: string; toolCallId: string; approved: boolean; reason?: string }
  | { action: "toolOutput"; toolCallId: string; output: Json }
  | { action: "toolError"; toolCallId: string; errorText: string }
  | { action: "replay"; command: "play" | "pause" | "restart" | "seek"; speed?: number; positionMs?: number };

export type ActionMessage = Action & { type: "action"; actionId: string };

export type ToKernel = Sync | ActionMessage;

export function isToolPart(part: Part): part is ToolPart {
  return part.type === "dynamic-tool" || part.type.startsWith("tool-");
}

export function isDataPart(part: Part): part is DataPart {
  return part.type.startsWith("data-");
}

/** Name of the tool: after the first dash for static parts, names may contain dashes themselves. */
export function toolName(part: ToolPart): string {
  return part.type === "dynamic-tool" ? (part.toolName ?? "") : part.type.slice("tool-".length);
}

/** Whether the exchange is going on, so that unfinished things may still change. */
export function isBusy(document: Document): boolean {
  return document.status === "submitted" || document.status === "streaming";
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a table holds under an id. Ids come from outside: "constructor" and its kin must not find what every object has. */
export function entryOf<Entry>(table: Record<string, Entry>, id: string): Entry | undefined {
  return Object.hasOwn(table, id) ? table[id] : undefined;
}
