/** One message: the person's words as they were typed, or what the agent did and said, row by row. */

import type { JSX } from "preact";
import type { Document, Message, ToolEntry } from "../document";
import { entryOf, isBusy } from "../document";
import type { Item, Place } from "../renderers/_contract";
import { drawItem } from "../renderers/index";
import { itemsOf, plainText } from "../renderers/items";
import { useView } from "./context";
import { memo } from "./memo";
import { Row } from "./row";

interface MessageProps {
  message: Message;
  index: number;
  /** Of the document, only what the rows of this message need; see `isSame`. */
  document: Document;
  /** The plan is shown above the prompt, not here. */
  hidesPlan: boolean;
  /** Changes whenever an answer of the person gets under way or arrives. */
  decisions: number;
}

export const MessageView = memo<MessageProps>(function MessageView({ message, index, document, hidesPlan }) {
  const id = message.id || String(index);
  if (message.role === "user") return <UserMessage message={message} id={id} />;
  if (message.role === "system") return <SystemMessage message={message} id={id} />;
  return <AssistantMessage message={message} id={id} index={index} document={document} hidesPlan={hidesPlan} />;
}, isSame);

function UserMessage({ message, id }: { message: Message; id: string }): JSX.Element {
  const { say } = useView();
  const others = itemsOf(message, id).filter((item) => item.kind !== "text");
  return (
    <div class="user" role="group" aria-label={say("view.you")} data-role="user" data-message-id={message.id}>
      {plainText(message.parts)}
      {others.map((item) => drawItem(item, plainPlace(item)))}
    </div>
  );
}

function SystemMessage({ message, id }: { message: Message; id: string }): JSX.Element {
  const { say } = useView();
  const text = plainText(message.parts);
  return (
    <div data-role="system">
      <Row
        id={`${id}/system`}
        kind="system"
        status="neutral"
        glyph="note"
        title={{ name: say("view.system"), argument: text }}
        detail={() => <div class="plain-text">{text}</div>}
      />
    </div>
  );
}

function AssistantMessage(props: { message: Message; id: string; index: number; document: Document; hidesPlan: boolean }): JSX.Element | null {
  const { message, document, index } = props;
  const { session } = useView();
  const isCurrent = index === document.messages.length - 1;
  const items = itemsOf(message, props.id).filter((item) => !(props.hidesPlan && item.kind === "plan"));
  if (!items.length) return null;
  return (
    <div class="assistant" data-role="assistant" data-message-id={message.id}>
      {items.map((item, at) => {
        const place: Place = {
          id: item.id,
          isBusy: isCurrent && isBusy(document),
          isCurrent,
          isLast: isCurrent && at === items.length - 1,
          tool: item.kind === "tool" ? entryOf(document.tools, item.value.toolCallId) : undefined,
          durationMs: durationOf(item, document, message.id),
          depth: 0,
        };
        return drawItem(item, place, item.kind === "tool" ? underwayOf(item, session.underway.bind(session)) : undefined);
      })}
    </div>
  );
}

function underwayOf(item: Extract<Item, { kind: "tool" }>, underway: (id: string) => string | undefined): string | undefined {
  const { approval, toolCallId } = item.value;
  return (approval && underway(approval.id)) ?? underway(toolCallId);
}

/** Sum over the parts of the item; unknown as soon as nothing of it is known. */
function durationOf(item: Item, document: Document, messageId: string): number | undefined {
  const known = item.partIndexes.flatMap((index) => document.timings[`${messageId}/${index}`]?.durationMs ?? []);
  return known.length ? known.reduce((sum, ms) => sum + ms, 0) : undefined;
}

function plainPlace(item: Item): Place {
  return { id: item.id, isBusy: false, isCurrent: false, isLast: false, tool: undefined, durationMs: undefined, depth: 0 };
}

/**
 * A message is drawn again when it changed, when it stopped or started being the current one, or when the table of tools,
 * of timings or of decisions changed: its rows then find out for themselves whether that concerns them.
 */
function isSame(before: MessageProps, after: MessageProps): boolean {
  if (before.message !== after.message || before.hidesPlan !== after.hidesPlan || before.index !== after.index) return false;
  if (after.message.role !== "assistant") return true;
  const isCurrent = ({ index, document }: MessageProps): boolean => index === document.messages.length - 1;
  if (isCurrent(before) !== isCurrent(after)) return false;
  if (isCurrent(after) && isBusy(before.document) !== isBusy(after.document)) return false;
  if (before.decisions !== after.decisions || before.document.queuedDecisions !== after.document.queuedDecisions) return false;
  return before.document.timings === after.document.timings && sameTools(after.message, before.document.tools, after.document.tools);
}

function sameTools(message: Message, before: Record<string, ToolEntry>, after: Record<string, ToolEntry>): boolean {
  if (before === after) return true;
  return message.parts.every((part) => {
    const { toolCallId } = part as { toolCallId?: string };
    return toolCallId === undefined || entryOf(before, toolCallId) === entryOf(after, toolCallId);
  });
}
