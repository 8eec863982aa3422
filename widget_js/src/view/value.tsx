/**
 * Any JSON value, for reading: inputs, outputs, data.
 *
 * A string is text, everything else is JSON; short JSON stays on one line. `0`, `false` and `""` are values like others.
 */

import type { JSX } from "preact";
import { Fragment } from "preact";
import type { Json } from "../document";
import { isObject } from "../document";
import { useView } from "./context";
import { Copy } from "./copy";
import { LongText } from "./long_text";
import type { WordKey } from "./strings";
import { visible } from "./visible";

/** Longest JSON that is written on one line. */
const ONE_LINE = 64;

export function valueText(value: Json): string {
  if (typeof value === "string" && value !== "") return value;
  const line = oneLine(value);
  return line.length <= ONE_LINE ? line : JSON.stringify(value, null, 2);
}

/** JSON on one line with spaces, as a person would write it. */
function oneLine(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(", ")}]`;
  if (isObject(value)) {
    const pairs = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${oneLine(item)}`);
    return `{${pairs.join(", ")}}`;
  }
  return JSON.stringify(value);
}

interface DetailProps {
  label: WordKey;
  value: Json;
  tone?: "bad";
}

/** One line of a row's detail: a label, a value of any length, and a way to copy it. */
export function Detail({ label, value, tone }: DetailProps): JSX.Element {
  const { say } = useView();
  const text = valueText(value);
  return (
    <div class="detail" data-tone={tone}>
      <span class="detail-label">{say(label)}</span>
      <div class="detail-value">
        <LongText text={visible(text)} />
      </div>
      <Copy text={() => text} />
    </div>
  );
}

/** A line of detail whose value is in our own words. */
export function DetailNote({ label, children }: { label: WordKey; children: string }): JSX.Element {
  const { say } = useView();
  return (
    <div class="detail">
      <span class="detail-label">{say(label)}</span>
      <div class="detail-note">{visible(children)}</div>
    </div>
  );
}

/** Most fields that are listed one by one; more is JSON. */
const MOST_FIELDS = 8;

/** An object as a list of its fields, so that what is to be approved reads exactly and whole; anything else as JSON. */
export function Fields({ value, label }: { value: Json; label: WordKey }): JSX.Element {
  const entries = isObject(value) ? Object.entries(value) : [];
  if (!entries.length || entries.length > MOST_FIELDS) return <Detail label={label} value={value} />;
  return (
    <dl class="fields">
      {entries.map(([key, item]) => (
        <Fragment key={key}>
          <dt>{visible(key)}</dt>
          <dd>
            <LongText text={visible(valueText(item))} />
          </dd>
        </Fragment>
      ))}
    </dl>
  );
}

/** Shortest useful thing to say about a tool's input: its first short text or number. */
export function briefValue(value: Json | undefined): string | undefined {
  if (typeof value === "string") return brief(value);
  if (typeof value === "number") return String(value);
  if (!isObject(value)) return undefined;
  for (const item of Object.values(value)) {
    if (typeof item === "string" && item.trim()) return brief(item);
    if (typeof item === "number") return String(item);
  }
  return undefined;
}

function brief(text: string): string | undefined {
  const line = text.trim().split("\n", 1)[0]!;
  return line ? line.slice(0, 200) : undefined;
}
