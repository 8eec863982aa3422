/** How an exchange failed: behind the last message, announced once, with a way to try again. Not a part of any message. */

import type { JSX } from "preact";
import { useView } from "../view/context";
import { Row } from "../view/row";
import { Detail } from "../view/value";

export function ErrorRow({ id, text }: { id: string; text: string | null }): JSX.Element {
  const { say, session, canAct } = useView();
  const words = text || say("view.error.text");
  const isLong = words.length > 200 || words.includes("\n");
  return (
    <div role="alert">
      <Row
        id={id}
        kind="error"
        status="failed"
        title={{ name: say("view.error.title"), argument: words.split("\n", 1)[0]! }}
        wantsOpen={isLong}
        detail={isLong ? () => <Detail label="view.tool.error" value={words} tone="bad" /> : undefined}
        actions={
          canAct && (
            <>
              <button type="button" class="button" onClick={() => void session.act({ action: "retry" })}>
                {say("view.retry")}
              </button>
              <button type="button" class="button quiet" onClick={() => void session.act({ action: "clearError" })}>
                {say("view.dismiss")}
              </button>
            </>
          )
        }
      />
    </div>
  );
}
