/** How an exchange ended where the answer alone does not show it: cut off, or stopped. Behind the last message, quietly. */

import type { JSX } from "preact";
import type { EndState } from "../document";
import { useView } from "../view/context";
import { Row } from "../view/row";

export function EndedRow({ id, state }: { id: string; state: EndState }): JSX.Element | null {
  const { say, session, canAct } = useView();
  if (state === "aborted") return <Row id={id} kind="ended" status="neutral" glyph="stop" title={{ name: say("view.ended.aborted") }} />;
  if (state !== "truncated") return null; // finished, or said by a row of its own
  return (
    <Row
      id={id}
      kind="ended"
      status="interrupted"
      title={{ name: say("view.ended.truncated") }}
      actions={
        canAct && (
          <button type="button" class="button" onClick={() => void session.act({ action: "retry" })}>
            {say("view.retry")}
          </button>
        )
      }
    />
  );
}
