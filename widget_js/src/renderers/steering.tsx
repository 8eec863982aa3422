/** Words that the person sent into a running answer: theirs, so drawn as theirs, where they arrived. */

import { useView } from "../view/context";
import type { Renderer, Samples } from "./_contract";

export const Steering: Renderer<"steering"> = ({ value }) => {
  const { say } = useView();
  if (!value.text) return null;
  return (
    <div class="user" role="group" aria-label={say("view.you")}>
      {value.text}
    </div>
  );
};

export const samples: Samples<"steering"> = {
  streaming: { value: { text: "用中文" }, place: { isBusy: true }, shows: "用中文" },
  done: { value: { text: "Shorter, please" }, shows: "Shorter, please" },
  strange: { value: { text: "" }, shows: null },
};
