/** What a person sees of the end of an exchange that the answer alone does not show. */

import { fireEvent } from "@testing-library/dom";
import { describe, expect, it } from "vitest";
import { fixtures } from "../dev/fixtures";
import { sayIn } from "../src/view/strings";
import { FakeModel, frame, show } from "./page";

const say = sayIn("en");

describe("the end of the last exchange", () => {
  it("an answer that was cut off says so behind the last message, with a way to try again", async () => {
    const model = new FakeModel(fixtures()["cut-off"]!.document);
    const { screen, root } = show(model);
    await frame();
    const row = root.querySelector<HTMLElement>('[data-kind="ended"]')!;
    expect([row.textContent, row.dataset["status"]]).toEqual([say("view.ended.truncated") + say("view.retry"), "interrupted"]);
    expect(root.querySelector('[data-role="assistant"]')!.compareDocumentPosition(row) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
    expect(screen.queryByRole("alert")).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Retry" }));
    expect(model.actions).toEqual([{ action: "retry" }]);
    model.push(["set", ["status"], "submitted"], ["set", ["ended"], null]);
    await frame();
    expect(root.querySelector('[data-kind="ended"]')).toBeNull();
  });

  it("a stopped answer says so in neutral words, a finished one says nothing", async () => {
    const model = new FakeModel(fixtures()["stopped"]!.document);
    const { root } = show(model);
    await frame();
    const row = root.querySelector<HTMLElement>('[data-kind="ended"]')!;
    expect([row.textContent, row.dataset["status"]]).toEqual([say("view.ended.aborted"), "neutral"]);
    for (const state of ["complete", "waiting", "error"]) {
      model.push(["set", ["ended"], { state, messageId: "a" }]);
      await frame();
      expect(root.querySelector('[data-kind="ended"]')).toBeNull();
    }
  });

  it("in a recording nothing can be tried again", async () => {
    const model = new FakeModel({ ...fixtures()["cut-off"]!.document, source: "replay", replay: { speed: 1, playing: false, position_ms: 9, duration_ms: 9 } });
    const { screen, root } = show(model);
    await frame();
    expect(root.querySelector('[data-kind="ended"]')!.textContent).toBe(say("view.ended.truncated"));
    expect(screen.queryByRole("button", { name: "Retry" })).toBeNull();
  });
});
