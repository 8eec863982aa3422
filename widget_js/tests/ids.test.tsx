/** Ids come from outside, and may be names that every object has. */

import { fireEvent } from "@testing-library/dom";
import { describe, expect, it } from "vitest";
import type { Part } from "../src/document";
import { FakeModel, frame, show } from "./page";

describe("ids that every object knows", () => {
  it.each(["constructor", "__proto__", "toString"])("a call with the id %s is drawn and answered like any other", async (id) => {
    const call: Part = { type: "tool-publish", toolCallId: id, state: "approval-requested", input: {}, approval: { id } };
    const message = { id: "a", role: "assistant" as const, parts: [call] };
    const model = new FakeModel({ messages: [message], status: "streaming" });
    const { screen } = show(model);
    await frame();
    fireEvent.click(screen.getByRole("button", { name: "Allow" }));
    expect(model.actions).toEqual([{ action: "approve", toolCallId: id, approvalId: id, approved: true }]);
    model.push(["set", ["tools", id], { status: "done", kind: "server" }]);
    await frame();
    expect(screen.getByTestId("aisdk-sidebar").textContent).toContain("Ran publish");
  });
});
