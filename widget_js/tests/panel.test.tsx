/** The whole sidebar, as a person meets it: by role and name. */

import { fireEvent } from "@testing-library/dom";
import { describe, expect, it, vi } from "vitest";
import { fixtures } from "../dev/fixtures";
import type { Document, Part } from "../src/document";
import { sayIn } from "../src/view/strings";
import { FakeModel, frame, show } from "./page";

const say = sayIn("en");
const active = (root: ShadowRoot): Element | null => root.activeElement;

const WAITING: Partial<Document> = {
  title: "Publish",
  messages: [
    { id: "u", role: "user", parts: [{ type: "text", text: "Publish it" }] },
    {
      id: "a",
      role: "assistant",
      parts: [{ type: "tool-publish", toolCallId: "c1", state: "approval-requested", input: { title: "Report" }, approval: { id: "p1" } }],
    },
  ],
  tools: { c1: { status: "waiting", kind: "server" } },
};

const ASKED: Partial<Document> = {
  messages: [{ id: "a", role: "assistant", parts: [{ type: "tool-ask", toolCallId: "c2", state: "input-available", input: { question: "Where?" } }] }],
  tools: { c2: { status: "waiting", kind: "client" } },
};

describe("every fixture", () => {
  it.each(Object.keys(fixtures()))("%s is drawn in English and in Chinese", async (name) => {
    const { document } = fixtures()[name]!;
    for (const language of ["en", "zh"] as const) {
      const { screen } = show(new FakeModel(document, { language }));
      await frame();
      expect(screen.getByTestId("aisdk-sidebar").getAttribute("aria-label")).toBe(sayIn(language)("view.label", { title: document.title }));
      expect(screen.queryByText(sayIn(language)("view.broken_part"))).toBeNull();
    }
  });
});

describe("the prompt", () => {
  it("sends on Enter, clears at once, and makes a line on Shift+Enter", async () => {
    const model = new FakeModel({ title: "Weather" });
    const { screen } = show(model);
    const field = screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
    fireEvent.input(field, { target: { value: "杭州天气怎么样？" } });
    await frame();
    fireEvent.keyDown(field, { key: "Enter", shiftKey: true });
    expect(model.actions).toEqual([]);
    fireEvent.keyDown(field, { key: "Enter" });
    await frame();
    expect([model.actions, field.value]).toEqual([[{ action: "send", text: "杭州天气怎么样？" }], ""]);
  });

  it("keeps what is sent before the kernel was heard of, and sends it then", async () => {
    const model = new FakeModel();
    const { screen } = show(model);
    const field = screen.getByRole<HTMLTextAreaElement>("textbox");
    fireEvent.input(field, { target: { value: "early" } });
    await frame();
    fireEvent.keyDown(field, { key: "Enter" });
    await frame();
    expect([model.actions, field.value]).toEqual([[], "early"]);
    model.say({ type: "snapshot", seq: 1, document: { title: "Weather" } });
    await vi.waitFor(() => expect([model.actions, field.value]).toEqual([[{ action: "send", text: "early" }], ""]));
  });

  it("does nothing on the Enter that ends a composition", async () => {
    const model = new FakeModel({});
    const { screen } = show(model);
    const field = screen.getByRole("textbox");
    fireEvent.input(field, { target: { value: "hangzhou" } });
    await frame();
    fireEvent.keyDown(field, { key: "Enter", isComposing: true });
    fireEvent.keyDown(field, { key: "Enter", keyCode: 229 });
    expect(model.actions).toEqual([]);
  });

  it("offers Stop in the place of Send while an answer comes", async () => {
    const model = new FakeModel({ status: "streaming" });
    const { screen } = show(model);
    await frame();
    expect(screen.queryByRole("button", { name: "Send" })).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Stop" }));
    expect(model.actions).toEqual([{ action: "stop" }]);
  });

  it("says why nothing can be sent while a call waits, and leads there, to the safe button", async () => {
    const model = new FakeModel(WAITING);
    const { screen, root } = show(model);
    await frame();
    const field = screen.getByRole("textbox");
    expect(root.getElementById(field.getAttribute("aria-describedby")!)!.textContent).toContain(say("view.blocked.waiting"));
    fireEvent.input(field, { target: { value: "and now?" } });
    await frame();
    fireEvent.keyDown(field, { key: "Enter" });
    expect(model.actions).toEqual([]);
    fireEvent.click(screen.getByRole("button", { name: "Show it" }));
    expect(active(root)).toBe(screen.getByRole("button", { name: "Deny…" }));
  });

  it("sends a suggestion word for word", async () => {
    const model = new FakeModel({ suggestions: ["杭州天气怎么样？", "b", "c", "d"] });
    const { screen } = show(model);
    await frame();
    expect(screen.queryByRole("button", { name: "d" })).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "杭州天气怎么样？" }));
    expect(model.actions).toEqual([{ action: "send", text: "杭州天气怎么样？" }]);
  });
});

describe("an approval", () => {
  it("arrives open, amber, without taking the focus", async () => {
    const model = new FakeModel({ ...WAITING, tools: {} , status: "streaming" });
    const { screen, root } = show(model);
    await frame();
    screen.getByRole("textbox").focus();
    model.push(["set", ["tools", "c1"], { status: "waiting" }], ["set", ["status"], "ready"]);
    await frame();
    expect(active(root)).toBe(screen.getByRole("textbox"));
    const row = root.querySelector<HTMLElement>('[data-tool-call-id="c1"]')!;
    expect(row.dataset["status"]).toBe("waiting");
    expect(screen.getByRole("button", { name: "Waiting for you: publish · Report" }).getAttribute("aria-expanded")).toBe("true");
    expect(screen.getByRole("status", { name: "" }).textContent).toBe("Waiting for you");
    expect(screen.getByText("Report", { selector: "dd span" })).toBeTruthy();
  });

  it("allowed is one message, and its buttons give way to what becomes of it", async () => {
    const model = new FakeModel(WAITING);
    const { screen, root } = show(model);
    await frame();
    const allow = screen.getByRole("button", { name: "Allow" });
    fireEvent.click(allow);
    fireEvent.click(allow);
    await frame();
    expect(model.actions).toEqual([{ action: "approve", approvalId: "p1", toolCallId: "c1", approved: true }]);
    expect(screen.queryByRole("button", { name: "Allow" })).toBeNull();
    expect(screen.getByText(say("view.sending"))).toBeTruthy();
    expect(active(root)).toBe(root.querySelector('[data-tool-call-id="c1"]'));
  });

  it("denied carries the reason", async () => {
    const model = new FakeModel(WAITING);
    const { screen, root } = show(model);
    await frame();
    fireEvent.click(screen.getByRole("button", { name: "Deny…" }));
    await frame();
    const reason = screen.getByRole("textbox", { name: "Reason (optional)" });
    expect(active(root)).toBe(reason);
    fireEvent.input(reason, { target: { value: " not yet " } });
    fireEvent.submit(reason.closest("form")!);
    await frame();
    expect(model.actions).toEqual([{ action: "approve", approvalId: "p1", toolCallId: "c1", approved: false, reason: "not yet" }]);
  });

  it("Escape in the reason takes the denial back", async () => {
    const model = new FakeModel(WAITING);
    const { screen, root } = show(model);
    await frame();
    fireEvent.click(screen.getByRole("button", { name: "Deny…" }));
    await frame();
    fireEvent.keyDown(screen.getByRole("textbox", { name: "Reason (optional)" }), { key: "Escape" });
    await frame();
    expect(model.actions).toEqual([]);
    expect(active(root)).toBe(screen.getByRole("button", { name: "Deny…" }));
  });

  it("has its buttons beside the trigger, never in it", async () => {
    const { root } = show(new FakeModel(WAITING));
    await frame();
    expect(root.querySelectorAll("button button, .row-trigger :is(button, a, input)").length).toBe(0);
    expect(root.querySelector(".row-actions button")).not.toBeNull();
  });

  it("in a recording shows what was asked, without buttons", async () => {
    const { screen } = show(new FakeModel({ ...WAITING, source: "replay", replay: { speed: 1, playing: false, position_ms: 0, duration_ms: 9 } }));
    await frame();
    expect(screen.queryByRole("button", { name: "Allow" })).toBeNull();
    expect(screen.getByText("Report", { selector: "dd span" })).toBeTruthy();
  });
});

describe("a client tool", () => {
  it("takes JSON as JSON and words as words", async () => {
    for (const [typed, output] of [["{\"space\": 3}", { space: 3 }], ["false", false], ["/team/notes", "/team/notes"]] as const) {
      const model = new FakeModel(ASKED);
      const { screen } = show(model);
      await frame();
      fireEvent.input(screen.getByRole("textbox", { name: say("view.answer_field") }), { target: { value: typed } });
      await frame();
      fireEvent.click(screen.getByRole("button", { name: "Answer" }));
      await frame();
      expect(model.actions).toEqual([{ action: "toolOutput", toolCallId: "c2", output }]);
    }
  });

  it("can be answered with a problem", async () => {
    const model = new FakeModel(ASKED);
    const { screen } = show(model);
    await frame();
    fireEvent.click(screen.getByRole("button", { name: "Report a problem" }));
    await frame();
    fireEvent.input(screen.getByRole("textbox", { name: "What went wrong" }), { target: { value: "no such space" } });
    await frame();
    fireEvent.click(screen.getByRole("button", { name: "Send report" }));
    await frame();
    expect(model.actions).toEqual([{ action: "toolError", toolCallId: "c2", errorText: "no such space" }]);
  });

  it.each([
    ["Adopt", [], { status: "applied" }],
    ["Reject…", ["Reject"], { status: "rejected" }],
  ] as const)("a proposed edit: %s", async (first, then, output) => {
    const { document } = fixtures()["proposal"]!;
    const model = new FakeModel(document);
    const { screen } = show(model);
    await frame();
    expect(screen.getByRole("group", { name: "Proposed change" }).querySelectorAll("ins, del").length).toBeGreaterThan(0);
    for (const name of [first, ...then]) {
      fireEvent.click(screen.getByRole("button", { name }));
      await frame();
    }
    const toolCallId = Object.keys(document.tools)[0];
    expect(model.actions).toEqual([{ action: "toolOutput", toolCallId, output }]);
  });
});

describe("rows", () => {
  const thinking = (state: "streaming" | "done"): Part => ({ type: "reasoning", text: "Let me see", state });
  const thought: Partial<Document> = { status: "streaming", messages: [{ id: "a", role: "assistant", parts: [thinking("streaming")] }] };

  it("reasoning opens while it streams and closes once when it ends", async () => {
    const model = new FakeModel(thought);
    const { screen } = show(model);
    await frame();
    expect(screen.getByRole("button", { name: "Thinking" }).getAttribute("aria-expanded")).toBe("true");
    model.push(["set", ["messages", 0, "parts", 0], thinking("done") as never]);
    await frame();
    expect(screen.getByRole("button", { name: /Thought/ }).getAttribute("aria-expanded")).toBe("false");
  });

  it("never open or close by themselves again after the person touched them", async () => {
    const model = new FakeModel(thought);
    const { screen } = show(model);
    await frame();
    const trigger = screen.getByRole("button", { name: "Thinking" });
    fireEvent.click(trigger);
    await frame();
    fireEvent.click(trigger);
    await frame();
    model.push(["set", ["messages", 0, "parts", 0], thinking("done") as never]);
    await frame();
    expect(trigger.getAttribute("aria-expanded")).toBe("true");
  });

  it("of an old conversation start closed", async () => {
    const { document } = fixtures()["weather"]!;
    const { root } = show(new FakeModel(document));
    await frame();
    expect(root.querySelectorAll("[aria-expanded=true]").length).toBe(0);
  });

  it("keep their contents out of the page while closed", async () => {
    const { document } = fixtures()["weather"]!;
    const { root } = show(new FakeModel(document));
    await frame();
    for (const trigger of root.querySelectorAll(".row-trigger")) {
      const body = root.getElementById(trigger.getAttribute("aria-controls")!)!;
      expect([body.hidden, body.childElementCount]).toEqual([true, 0]);
    }
  });

  it("can be walked with the arrow keys", async () => {
    const { document } = fixtures()["weather"]!;
    const { screen, root } = show(new FakeModel(document));
    await frame();
    screen.getByRole("button", { name: /^Thought/ }).focus();
    const press = (key: string): void => void fireEvent.keyDown(active(root)!, { key });
    press("ArrowDown");
    expect(active(root)!.getAttribute("aria-label")).toMatch(/^Ran get_weather/);
    press("ArrowRight");
    await frame();
    expect(active(root)!.getAttribute("aria-expanded")).toBe("true");
    press("End");
    expect(active(root)!.getAttribute("aria-label")).toBe("Used 2 sources");
  });
});

it("a call that a function of the kernel answers says that it waits for the running cell", async () => {
  const model = new FakeModel({
    status: "streaming",
    messages: [{ id: "a", role: "assistant", parts: [{ type: "tool-readFrame", toolCallId: "c3", state: "input-available", input: { name: "df" } }] }],
    tools: { c3: { status: "running", kind: "client" } },
    queuedDecisions: { c3: "cell" },
  });
  const { screen } = show(model);
  await frame();
  expect(screen.getByRole("button", { name: "Running readFrame · Waits for the running cell" })).toBeTruthy();
  model.push(["remove", ["queuedDecisions", "c3"]]);
  await frame();
  expect(screen.getByRole("button", { name: "Running readFrame · df" })).toBeTruthy();
});

describe("the plan", () => {
  const steps = (...status: string[]): Part => ({ type: "data-plan", id: "plan", data: { steps: status.map((word, n) => ({ title: `Step ${n}`, status: word })) } });

  it("is one row above the prompt while it runs, and one row in its place afterwards", async () => {
    const model = new FakeModel({ status: "streaming", messages: [{ id: "a", role: "assistant", parts: [steps("running", "pending")] }] });
    const { root } = show(model);
    const plans = (): string[] => [...root.querySelectorAll('[data-kind="plan"]')].map((row) => `${row.closest(".pinned") ? "pinned" : "in place"}: ${row.querySelector(".row-title")!.textContent}`);
    await frame();
    expect(plans()).toEqual(["pinned: Plan · 0 of 2"]);
    for (const status of [["done", "running"], ["done", "done"]]) model.push(["set", ["messages", 0, "parts", 0], steps(...status) as never]);
    await frame();
    expect(plans()).toEqual(["pinned: Plan · 2 of 2"]);
    model.push(["set", ["status"], "ready"]);
    await frame();
    expect(plans()).toEqual(["in place: Plan · 2 of 2"]);
  });

  it("says that a step was interrupted when the exchange stopped in it", async () => {
    const { root } = show(new FakeModel({ messages: [{ id: "a", role: "assistant", parts: [steps("done", "running")] }] }));
    await frame();
    expect([...root.querySelectorAll<HTMLElement>(".plan-step")].map((step) => step.dataset["status"])).toEqual(["done", "interrupted"]);
  });
});

describe("errors and the connection", () => {
  it("an error is said once, with a way to try again and a way to be rid of it", async () => {
    const model = new FakeModel({ status: "error", error: { text: "connection closed" } });
    const { screen } = show(model);
    await frame();
    expect(screen.getByRole("alert").textContent).toContain("Failed · connection closed");
    fireEvent.click(screen.getByRole("button", { name: "Retry" }));
    fireEvent.click(screen.getByRole("button", { name: "Dismiss" }));
    expect(model.actions).toEqual([{ action: "retry" }, { action: "clearError" }]);
  });

  it("without a kernel the stored conversation is readable and nothing can be answered", async () => {
    const model = new FakeModel(undefined, { snapshot: JSON.stringify(WAITING) });
    const { screen } = show(model);
    model.emit("comm_live_update");
    await vi.waitFor(() => expect(screen.getByText(say("view.notice.gone"))).toBeTruthy(), { timeout: 3_000 });
    expect(screen.getByText("Publish it")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Allow" })).toBeNull();
    expect(screen.getByTestId("aisdk-sidebar").dataset["connection"]).toBe("gone");
  });

  it("a notice of the kernel is said in our words, or as it is", async () => {
    const model = new FakeModel({ notice: "busy-cell" });
    const { screen } = show(model);
    await frame();
    expect(screen.getByText(say("view.notice.busy_cell"))).toBeTruthy();
    model.push(["set", ["notice"], "The browser is on another host."]);
    await frame();
    expect(screen.getByText("The browser is on another host.")).toBeTruthy();
  });
});

describe("a recording", () => {
  it("is played, paused, started again, sped up and moved", async () => {
    const model = new FakeModel({ source: "replay", replay: { speed: 1, playing: false, position_ms: 40, duration_ms: 161 } });
    const { screen } = show(model);
    await frame();
    fireEvent.click(screen.getByRole("button", { name: "Play" }));
    model.push(["set", ["replay", "playing"], true]);
    await frame();
    fireEvent.click(screen.getByRole("button", { name: "Pause" }));
    fireEvent.click(screen.getByRole("button", { name: "From the start" }));
    fireEvent.change(screen.getByRole("combobox", { name: "Speed" }), { target: { value: "5" } });
    fireEvent.change(screen.getByRole("slider", { name: "Position" }), { target: { value: "80" } });
    expect(model.actions).toEqual([
      { action: "replay", command: "play" },
      { action: "replay", command: "pause" },
      { action: "replay", command: "restart" },
      { action: "replay", command: "play", speed: 5 },
      { action: "replay", command: "seek", positionMs: 80 },
    ]);
  });
});

describe("views", () => {
  it("two views of one sidebar stay equal", async () => {
    const model = new FakeModel({ status: "streaming", messages: [{ id: "a", role: "assistant", parts: [{ type: "text", text: "Hel", state: "streaming" }] }] });
    const [left, right] = [show(model), show(model)];
    model.push(["append", ["messages", 0, "parts", 0, "text"], "lo **wor"]);
    await frame();
    const html = (view: typeof left): string => view.root.querySelector(".content")!.innerHTML;
    expect(html(left)).toBe(html(right));
    expect(html(left)).toContain("<p>Hello <strong>wor</strong></p>");
  });

  it("a view that is taken away and made again in mid-stream loses nothing: text, open rows, draft", async () => {
    const { document } = fixtures()["weather"]!;
    const model = new FakeModel(document);
    const first = show(model);
    await frame();
    fireEvent.click(first.screen.getByRole("button", { name: /^Ran get_weather/ }));
    fireEvent.input(first.screen.getByRole("textbox"), { target: { value: "half a que" } });
    await frame();
    first.remove();
    model.push(["set", ["title"], "Renamed"]);
    const second = show(model);
    await frame();
    expect(second.screen.getByRole("region", { name: "Agent sidebar: Renamed" })).toBeTruthy();
    expect(second.screen.getByRole("button", { name: /^Ran get_weather/ }).getAttribute("aria-expanded")).toBe("true");
    expect(second.screen.getByRole<HTMLTextAreaElement>("textbox").value).toBe("half a que");
  });

  it("many batches between two frames are drawn once", async () => {
    const model = new FakeModel({ status: "streaming", messages: [{ id: "a", role: "assistant", parts: [{ type: "text", text: "", state: "streaming" }] }] });
    const { root } = show(model);
    await frame();
    let mutations = 0;
    const observer = new MutationObserver(() => mutations++);
    observer.observe(root, { subtree: true, childList: true, characterData: true });
    for (let n = 0; n < 500; n++) model.push(["append", ["messages", 0, "parts", 0, "text"], `${n} `]);
    await frame();
    observer.disconnect();
    expect(root.querySelector(".prose")!.textContent).toContain("498 499");
    expect(mutations).toBe(1);
  });

  it("text that is appended leaves closed paragraphs and other messages untouched", async () => {
    const model = new FakeModel({
      status: "streaming",
      messages: [
        { id: "u", role: "user", parts: [{ type: "text", text: "hi" }] },
        { id: "a", role: "assistant", parts: [{ type: "text", text: "First.\n\nSecond", state: "streaming" }] },
      ],
    });
    const { root } = show(model);
    await frame();
    const changed = new Set<Node>();
    const observer = new MutationObserver((records) => records.forEach((record) => changed.add(record.target)));
    observer.observe(root, { subtree: true, childList: true, characterData: true });
    model.push(["append", ["messages", 1, "parts", 0, "text"], " goes on"]);
    await frame();
    observer.disconnect();
    expect([...changed].map((node) => node.textContent)).toEqual(["Second goes on"]);
  });
});

describe("the page around us", () => {
  it("never sees a key that was typed here, and is told so by the attribute that JupyterLab looks for", async () => {
    const seen: string[] = [];
    const listen = (event: Event): void => void seen.push(event.type);
    for (const name of ["keydown", "keyup", "paste", "input"]) document.body.addEventListener(name, listen);
    const { screen, el } = show(new FakeModel({}));
    await frame();
    const field = screen.getByRole("textbox");
    for (const name of ["keydown", "keyup", "paste", "input"]) field.dispatchEvent(new Event(name, { bubbles: true, composed: true }));
    for (const name of ["keydown", "keyup", "paste", "input"]) document.body.removeEventListener(name, listen);
    expect(seen).toEqual([]);
    expect(el.getAttribute("data-lm-suppress-shortcuts")).toBe("true");
  });

  it("has the static twin of our output hidden while we live, and back when we are gone", async () => {
    const area = document.createElement("div");
    area.className = "jp-OutputArea";
    area.innerHTML = '<div class="jp-OutputArea-child"><div class="aisdk-static">saved</div></div><div class="jp-OutputArea-child live"></div>';
    document.body.append(area);
    const twin = area.firstElementChild as HTMLElement;
    const view = show(new FakeModel({}), area.querySelector<HTMLElement>(".live")!);
    await frame();
    expect(twin.style.display).toBe("none");
    view.remove();
    expect(twin.style.display).toBe("");
    area.remove();
  });

  it("lends its dark or light, unless a theme was forced", async () => {
    document.body.dataset["jpThemeLight"] = "false";
    const dressed = (theme: string): string[] => {
      const { el } = show(new FakeModel({}, { theme }));
      return [el.dataset["scheme"]!, el.dataset["colors"]!];
    };
    document.body.style.setProperty("--jp-ui-font-color1", "#123");
    expect([dressed("auto"), dressed("light"), dressed("dark")]).toEqual([
      ["dark", "host"],
      ["light", "own"],
      ["dark", "own"],
    ]);
    document.body.removeAttribute("style");
    delete document.body.dataset["jpThemeLight"];
  });
});
