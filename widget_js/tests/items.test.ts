import { describe, expect, it } from "vitest";
import type { Message, Part } from "../src/document";
import { itemsOf, planIn } from "../src/renderers/items";
import { planOf } from "../src/renderers/plan_steps";

const message = (...parts: unknown[]): Message => ({ id: "m", role: "assistant", parts: parts as Part[] });
const kinds = (...parts: unknown[]): string[] => itemsOf(message(...parts), "m").map((item) => item.kind);
const plan = (status: string, more: object = {}): object => ({ type: "data-plan", id: "plan", data: { steps: [{ title: "A", status }] }, ...more });

describe("rows of a message", () => {
  it("adjacent reasoning is one row, separated reasoning is two", () => {
    const thought = { type: "reasoning", text: "x" };
    const items = itemsOf(message(thought, thought, { type: "text", text: "a" }, thought), "m");
    expect(items.map((item) => [item.kind, item.partIndexes])).toEqual([["reasoning", [0, 1]], ["text", [2]], ["reasoning", [3]]]); // prettier-ignore
  });

  it("all sources are one row behind everything else", () => {
    expect(kinds({ type: "source-url", sourceId: "1", url: "https://a" }, { type: "text", text: "a" }, { type: "source-document", sourceId: "2", mediaType: "x", title: "t" })).toEqual(["text", "sources"]);
  });

  it("four plans are one row: the latest, at the place of the first", () => {
    const call = (id: string, status: string): object => ({ type: "tool-updatePlan", toolCallId: id, state: "output-available", input: { steps: [{ title: "A", status }] }, output: { ok: true } });
    const items = itemsOf(message(call("1", "pending"), { type: "text", text: "a" }, call("2", "running"), plan("running"), call("3", "done")), "m");
    expect(items.map((item) => [item.kind, item.kind === "plan" && item.value])).toEqual([
      ["plan", [{ title: "A", status: "done" }]],
      ["text", false],
    ]);
  });

  it("a planning call that failed is shown as the call that it is", () => {
    expect(kinds({ type: "tool-updatePlan", toolCallId: "1", state: "output-error", errorText: "x" }, plan("running"))).toEqual(["tool", "plan"]);
  });

  it("a plan that holds no steps yet is no row", () => {
    expect(kinds({ type: "tool-updatePlan", toolCallId: "1", state: "input-streaming" }, plan("running", { data: {} }))).toEqual([]);
    expect(planIn(message(plan("running", { data: { steps: [] } })))).toBeUndefined();
  });

  it("unknown and future parts are rows too, and steering is the person's words", () => {
    expect(kinds({ type: "custom", kind: "a.b" }, { type: "steering-message", id: "s", parts: [{ type: "text", text: "hi" }] }, { type: "dynamic-tool", toolName: "x", toolCallId: "1", state: "input-available" })).toEqual(["unknown", "steering", "tool"]);
  });

  it("rows keep their ids while parts are added before and after them", () => {
    const call = { type: "tool-x", toolCallId: "c1", state: "input-available" };
    const ids = (...parts: unknown[]): string[] => itemsOf(message(...parts), "m").map((item) => item.id);
    expect(ids(call)).toEqual(["m/call/c1"]);
    expect(ids(call, { type: "text", text: "a" })).toEqual(["m/call/c1", "m/1"]);
  });
});

describe("plans of others", () => {
  it.each([
    [{ entries: [{ content: "A", status: "in_progress" }, { content: "B", status: "completed" }] }, [["A", "running"], ["B", "done"]]],
    [{ todos: [{ content: "A", status: "pending" }] }, [["A", "pending"]]],
    [{ plan: [{ step: "A", status: "inProgress" }] }, [["A", "running"]]],
    [["A", { title: "B", status: "runn" }, { status: "done" }, null], [["A", "pending"], ["B", "pending"]]],
  ])("%j", (data, steps) => {
    expect(planOf({ type: "data-plan", data } as Part)?.map(({ title, status }) => [title, status])).toEqual(steps);
  }); // prettier-ignore
});
