/** The copy button: beside what it copies, says for two seconds what became of it. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useView } from "./context";
import { Glyph } from "./glyph";
import type { WordKey } from "./strings";

const SHOWN_MS = 2_000;

export function Copy({ text }: { text: () => string }): JSX.Element {
  const { say } = useView();
  const [result, setResult] = useState<WordKey | null>(null);
  useEffect(() => {
    if (!result) return;
    const timer = setTimeout(() => setResult(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [result]);
  const copy = (): void => {
    // The clipboard exists only in secure contexts; a hub on plain http has none.
    const done = navigator.clipboard?.writeText(text()) ?? Promise.reject(new Error("no clipboard"));
    done.then(() => setResult("view.copied"), () => setResult("view.copy_failed"));
  };
  return (
    <button type="button" class="icon-button copy" aria-label={say("view.copy")} title={say("view.copy")} onClick={copy}>
      {result ? (
        <span class="copy-result" role="status">
          {say(result)}
        </span>
      ) : (
        <Glyph name="copy" />
      )}
    </button>
  );
}
