/** A part of a kind that this view does not know: named and shown whole, never dropped. */

import { useView } from "../view/context";
import { Row } from "../view/row";
import { Detail } from "../view/value";
import type { Renderer, Samples } from "./_contract";

export const Unknown: Renderer<"unknown"> = ({ value, place }) => {
  const { say } = useView();
  const type = typeof value["type"] === "string" ? value["type"] : JSON.stringify(value["type"] ?? null);
  return (
    <Row
      id={place.id}
      kind="unknown"
      status="neutral"
      glyph="unknown"
      title={{ name: say("view.unknown_part", { type }) }}
      detail={() => <Detail label="view.part" value={value} />}
    />
  );
};

export const samples: Samples<"unknown"> = {
  streaming: { value: { type: "hologram" }, place: { isBusy: true }, shows: "does not know: hologram" },
  done: { value: { type: "custom", kind: "openai.compaction" }, shows: "does not know: custom" },
  strange: { value: {}, shows: "does not know: null" },
};
