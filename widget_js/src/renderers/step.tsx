/** The border between two steps: a little room, nothing to read. The first step has nothing to be separated from. */

import type { Renderer, Samples } from "./_contract";

export const Step: Renderer<"step"> = ({ value }) => (value.number > 1 ? <div class="step" data-step={value.number} /> : null);

export const samples: Samples<"step"> = {
  streaming: { value: { number: 1 }, place: { isBusy: true }, shows: null },
  done: { value: { number: 2 }, shows: "" },
  strange: { value: { number: 0 }, shows: null },
};
