/** Every renderer draws its three samples, and says in words what they are. */

import type { ComponentChild, FunctionComponent } from "preact";
import { render } from "preact";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Kind, Place, Samples } from "../src/renderers/_contract";
import * as data from "../src/renderers/data";
import * as file from "../src/renderers/file";
import { drawItem, renderers } from "../src/renderers/index";
import * as plan from "../src/renderers/plan";
import * as reasoning from "../src/renderers/reasoning";
import * as sources from "../src/renderers/sources";
import * as steering from "../src/renderers/steering";
import * as step from "../src/renderers/step";
import * as text from "../src/renderers/text";
import * as tool from "../src/renderers/tool";
import * as unknown from "../src/renderers/unknown";
import type { View } from "../src/view/context";
import { ViewContext } from "../src/view/context";
import { sayIn } from "../src/view/strings";

// A kind without samples does not compile.
const samples = {
  text: text.samples,
  reasoning: reasoning.samples,
  tool: tool.samples,
  plan: plan.samples,
  sources: sources.samples,
  file: file.samples,
  data: data.samples,
  step: step.samples,
  steering: steering.samples,
  unknown: unknown.samples,
} satisfies { [K in Kind]: Samples<K> };

const stage = document.createElement("div");
document.body.append(stage);
afterEach(() => render(null, stage));

function draw(child: ComponentChild): HTMLElement {
  const folds = new Map();
  const view: View = {
    say: sayIn("en"),
    language: "en",
    session: { folds, act: () => Promise.resolve(), decide: () => Promise.resolve(), underway: () => undefined },
    canAct: true,
    isLive: false,
  };
  render(<ViewContext.Provider value={view}>{child}</ViewContext.Provider>, stage);
  return stage;
}

const PLACE: Place = { id: "x", isBusy: false, isCurrent: false, isLast: false, tool: undefined, durationMs: undefined, depth: 0 };

const cases = Object.entries(samples).flatMap(([kind, three]) => Object.entries(three).map(([name, sample]) => ({ kind: kind as Kind, name, sample })));

describe("samples", () => {
  it.each(cases)("$kind, $name", ({ kind, sample }) => {
    const Draw = renderers[kind] as FunctionComponent<{ value: unknown; place: Place }>;
    const drawn = draw(<Draw value={sample.value} place={{ ...PLACE, ...sample.place }} />);
    if (sample.shows === null) expect(drawn.innerHTML).toBe("");
    else expect(drawn.textContent).toContain(sample.shows);
    // Whatever was in it: nothing that runs, nothing that the page would act on, no address but the allowed ones.
    expect(drawn.querySelectorAll("script, style, iframe, [onerror], [data-commandlinker-command]").length).toBe(0);
    for (const link of drawn.querySelectorAll("a")) {
      expect(link.getAttribute("href")).toMatch(/^(https?:|mailto:|data:)/);
      if (!link.hasAttribute("download")) expect([link.target, link.rel]).toEqual(["_blank", "noopener noreferrer nofollow"]);
    }
  });
});

describe("a tool's row", () => {
  const call = { type: "tool-t" as const, toolCallId: "c" };
  const shown = (part: Parameters<typeof renderers.tool>[0]["value"], place: Partial<Place> = {}): string => {
    const row = draw(drawItem({ kind: "tool", value: part, id: "x", partIndexes: [0] }, { ...PLACE, ...place })).querySelector<HTMLElement>(".row")!;
    return `${row.dataset["status"]} | ${row.querySelector(".row-title")!.textContent} | ${row.querySelector(".row-trigger") ? "opens" : "line"}`;
  };

  it.each([
    ["preparing", { ...call, state: "input-streaming" }, "preparing | Preparing t | line"],
    ["running", { ...call, state: "input-available", input: {} }, "running | Running t | opens"],
    ["running", { ...call, state: "approval-requested", input: {}, approval: { id: "p", isAutomatic: true } }, "running | Checking t | opens"],
    ["running", { ...call, state: "output-available", input: {}, output: 1, preliminary: true }, "running | Running t | opens"],
    ["waiting", { ...call, state: "input-available", input: {} }, "waiting | Waiting for you: t | opens"],
    ["waiting", { ...call, state: "approval-requested", input: {}, approval: { id: "p" } }, "waiting | Waiting for you: t | opens"],
    ["queued", { ...call, state: "input-available", input: {} }, "queued | Queued: t | opens"],
    ["approved-not-sent", { ...call, state: "approval-responded", approval: { id: "p", approved: true } }, "approved-not-sent | Approved, not sent: t | line"],
    ["denied", { ...call, state: "approval-responded", approval: { id: "p", approved: false } }, "denied | Denied by you: t | line"],
    ["denied", { ...call, state: "output-denied", approval: { id: "p", approved: false, reason: "no" } }, "denied | Denied by you: t · “no” | line"],
    ["denied", { ...call, state: "output-denied", approval: { id: "p", approved: false, isAutomatic: true } }, "denied | Denied by a rule: t | line"],
    ["done", { ...call, state: "output-available", input: {}, output: null }, "done | Ran t | opens"],
    ["done", { ...call, state: "output-available", input: {}, output: ["one"] }, "done | Ran t · 1 result | opens"],
    ["failed", { ...call, state: "output-error", errorText: "boom\nat x" }, "failed | Failed: t · boom | opens"],
    ["interrupted", { ...call, state: "input-streaming" }, "interrupted | Interrupted: t | line"],
    ["unknown", { ...call, state: "input-available", input: {} }, "unknown | Outcome unknown: t | opens"],
  ] as const)("%s: %j", (status, part, expected) => {
    expect(shown(part as Parameters<typeof shown>[0], { tool: { status } })).toBe(expected);
  });

  it.each([
    ["applied", "done | Ran proposeEdit · adopted by you | opens"],
    ["rejected", "done | Ran proposeEdit · rejected by you | opens"],
    ["conflict", "done | Ran proposeEdit · Notes | opens"],
  ])("says what became of a proposal: %s", (verdict, expected) => {
    const input = { title: "Notes", before: "a", after: "b" };
    const part = { ...call, type: "tool-proposeEdit" as const, state: "output-available" as const, input, output: { status: verdict } };
    expect(shown(part, { tool: { status: "done", kind: "client" } })).toBe(expected);
  });

  it("says how long an interrupted call ran", () => {
    expect(shown({ ...call, state: "input-streaming" }, { tool: { status: "interrupted", durationMs: 3_100 } })).toBe("interrupted | Interrupted: t · stopped after 3.1 s | line");
  });

  it.each([0, false, "", null])("shows the output %j: it is one", (output) => {
    const part = { ...call, state: "output-available" as const, input: {}, output };
    const drawn = draw(drawItem({ kind: "tool", value: part, id: "x", partIndexes: [0] }, { ...PLACE, tool: { status: "done" } }));
    drawn.querySelector<HTMLElement>(".row-trigger")!.click();
    return Promise.resolve().then(() => {
      expect([...drawn.querySelectorAll(".detail-value")].map((element) => element.textContent)).toEqual(["{}", JSON.stringify(output)]);
    });
  });

  it("is open when it failed last, closed when something came after", () => {
    const failed = { ...call, state: "output-error" as const, errorText: "boom" };
    const isOpen = (isLast: boolean): boolean =>
      draw(drawItem({ kind: "tool", value: failed, id: `x${isLast}`, partIndexes: [0] }, { ...PLACE, isLast, tool: { status: "failed" } })).querySelector("[data-open]") !== null;
    expect([isOpen(true), isOpen(false)]).toEqual([true, false]);
  });

  it("a subagent's row shows the worst of what is inside it, and says which", () => {
    const inside = [{ type: "tool-read", toolCallId: "i", state: "output-error", errorText: "timeout" }, { type: "text", text: "Done." }];
    const part = { ...call, state: "output-available" as const, input: {}, output: { id: "m", role: "assistant", parts: inside } };
    expect(shown(part, { tool: { status: "done" } })).toBe("done | Ran t · Failed: read · timeout | opens");
    expect(stage.querySelector(".row-glyph")!.getAttribute("data-status")).toBe("failed");
  });
});

it("a part that cannot be drawn breaks its own row only", () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const broken = { type: "text", get text(): string { throw new Error("hostile"); } } as never; // prettier-ignore
  const drawn = draw([
    drawItem({ kind: "text", value: broken, id: "a", partIndexes: [0] }, PLACE),
    drawItem({ kind: "text", value: { type: "text", text: "still here" }, id: "b", partIndexes: [1] }, PLACE),
  ]);
  expect(drawn.textContent).toContain("still here");
});
