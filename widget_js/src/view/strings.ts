/**
 * Every word of the view. The list itself is `aisdk_lab/strings.py`; `strings.json` is printed from it.
 */

import words from "../strings.json";

export type Language = "en" | "zh";
export type WordKey = keyof typeof words;
export type Values = Readonly<Record<string, string | number>>;

/** A word in one language, with `{name}` fields filled in. */
export type Say = (key: WordKey, values?: Values) => string;

export function sayIn(language: Language): Say {
  const column = language === "zh" ? 1 : 0;
  return (key, values = {}) => words[key][column]!.replace(/\{(\w+)\}/g, (field, name: string) => String(values[name] ?? field));
}

/** The word for `n` things: the key's `.one` twin where there is exactly one. */
export function sayCount(say: Say, key: "view.sources" | "view.results" | "view.diff.skipped", n: number): string {
  return say(n === 1 ? `${key}.one` : key, { n });
}

export function isWordKey(key: string): key is WordKey {
  return Object.hasOwn(words, key);
}

/** The words around one field, for titles in which the field is drawn differently: `["Running ", ""]`. */
export function sayAround(say: Say, key: WordKey, field: string): [before: string, after: string] {
  const [before = "", after = ""] = say(key, { [field]: "\0" }).split("\0");
  return [before, after];
}
