/** Data of an application (`data-*`): one row with its name, the value inside. `data-plan` is a plan, not this. */

import { useView } from "../view/context";
import { Row } from "../view/row";
import { Detail, briefValue } from "../view/value";
import type { Renderer, Samples } from "./_contract";

export const Data: Renderer<"data"> = ({ value, place }) => {
  const { say } = useView();
  const argument = briefValue(value.data);
  return (
    <Row
      id={place.id}
      kind="data"
      status="neutral"
      glyph="data"
      title={{ name: say("view.data", { name: value.type.slice("data-".length) }), ...(argument ? { argument } : {}) }}
      detail={() => <Detail label="view.value" value={value.data ?? null} />}
    />
  );
};

export const samples: Samples<"data"> = {
  streaming: { value: { type: "data-progress", id: "p", data: { label: "读取", percent: 40 } }, place: { isBusy: true }, shows: "Data: progress · 读取" },
  done: { value: { type: "data-weather", data: { city: "Hangzhou", celsius: 25 } }, shows: "Data: weather · Hangzhou" },
  strange: { value: { type: "data-", data: null }, shows: "Data: " },
};
