/**
 * Characters that are not seen but change what is: what a person approves must be what is there.
 *
 * Stage: view. Control characters become their pictures (␛), those that turn or hide text their names (⟨U+202E⟩). Joiners stay:
 * emoji and several scripts are written with them. Copying gives the text as it was.
 */

const HIDDEN =
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\r(?!\n)|[\u{e0000}-\u{e007f}]/u;
const EACH_HIDDEN = new RegExp(HIDDEN.source, "gu");

export function visible(text: string): string {
  return HIDDEN.test(text) ? text.replace(EACH_HIDDEN, picture) : text;
}

function picture(character: string): string {
  const code = character.codePointAt(0)!;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "␡";
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
