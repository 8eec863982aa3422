/**
 * Thinking: one row for adjacent reasoning blocks; open while it streams, closed by itself when the answer starts.
 *
 * An adapter may send the boundaries without the words; then the row is a plain line with its duration.
 */

import { Markdown } from "../markdown/render";
import { useView } from "../view/context";
import { Row } from "../view/row";
import { sayThought } from "../view/time";
import type { Renderer, Samples } from "./_contract";

export const Reasoning: Renderer<"reasoning"> = ({ value, place }) => {
  const { say } = useView();
  const isThinking = place.isBusy && value.some((part) => part.state === "streaming");
  const isStopped = !isThinking && value.some((part) => part.state === "streaming");
  const text = value.map((part) => part.text).filter((words) => words.trim()).join("\n\n");
  const known = place.durationMs;
  const title = isThinking
    ? say("view.reasoning.running")
    : isStopped
      ? say("view.reasoning.stopped")
      : known
        ? say("view.reasoning.done", { time: sayThought(say, known) })
        : say("view.reasoning.done_unknown");
  return (
    <Row
      id={place.id}
      kind="reasoning"
      status={isThinking ? "running" : "neutral"}
      glyph="thought"
      isTimed
      title={{ name: title }}
      wantsOpen={isThinking}
      detail={text ? () => <div class="thought"><Markdown text={text} isStreaming={isThinking} /></div> : undefined}
    />
  ); // prettier-ignore
};

export const samples: Samples<"reasoning"> = {
  streaming: {
    value: [{ type: "reasoning", text: "用户问的是天气，先查", state: "streaming" }],
    place: { isBusy: true },
    shows: "用户问的是天气，先查",
  },
  done: {
    value: [
      { type: "reasoning", text: "First.", state: "done" },
      { type: "reasoning", text: "Second.", state: "done" },
    ],
    place: { durationMs: 7_200 },
    shows: "Thought for 8 s",
  },
  strange: { value: [{ type: "reasoning", text: "", state: "streaming" }], shows: "Thought (stopped)" },
};
