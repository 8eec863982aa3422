/** An approval cannot be spoofed: what turns or hides text is seen, in titles and in inputs. */

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { visible } from "../src/view/visible";
import { FakeModel, frame, show } from "./page";

it("shows what turns, hides or controls text, and leaves every other text alone", () => {
  expect(visible("a\u202eb\u2066c\u2069\u001b[31m\u0000\u0085\u200b\u007f")).toBe("a⟨U+202E⟩b⟨U+2066⟩c⟨U+2069⟩␛[31m␀⟨U+0085⟩⟨U+200B⟩␡");
  for (let code = 0x202a; code <= 0x2069; code++) {
    if (code <= 0x202e || code >= 0x2066) expect(visible(String.fromCharCode(code))).toBe(`⟨U+${code.toString(16).toUpperCase()}⟩`);
  }
  const plain = "杭州 مرحبا שלום 👩‍👩‍👧 می‌خواهم\n\tline\r\nnext";
  expect(visible(plain)).toBe(plain);
});

it("shows them in the title and in the input of an approval, and in a proposed edit", async () => {
  const parts = [
    {
      type: "dynamic-tool" as const,
      toolName: "delete\u202etxt.tropeR",
      toolCallId: "c1",
      state: "approval-requested" as const,
      input: { "pa\u2066th": "/home\u202e/fdp", note: "\u001b[8m" },
      approval: { id: "p1", requestReason: "safe\u202e!" },
    },
    { type: "tool-proposeEdit" as const, toolCallId: "c2", state: "input-available" as const, input: { before: "a", after: "b\u202ec" } },
  ];
  const model = new FakeModel({
    messages: [{ id: "m1", role: "assistant", parts }],
    tools: { c1: { status: "waiting", kind: "server" }, c2: { status: "waiting", kind: "client" } },
  });
  const { root } = show(model);
  await frame();
  const [approval, proposal] = [...root.querySelectorAll<HTMLElement>(".row")];
  for (const expected of ["delete⟨U+202E⟩txt.tropeR", "pa⟨U+2066⟩th", "/home⟨U+202E⟩/fdp", "␛[8m", "safe⟨U+202E⟩!"]) {
    expect(approval!.textContent).toContain(expected);
  }
  expect(approval!.querySelector(".row-trigger")!.getAttribute("aria-label")).toContain("⟨U+202E⟩");
  expect(proposal!.textContent).toContain("⟨U+202E⟩");
  expect(root.querySelector(".stage")!.innerHTML).not.toMatch(/[\u202a-\u202e\u2066-\u2069\x1b]/);
});

it("keeps the direction of what a model says to itself", () => {
  const css = readFileSync("src/view/styles.css", "utf8");
  for (const name of [".row-name", ".row-argument", ".long-text", ".fields dt", ".title"]) {
    expect(css).toMatch(new RegExp(`${name.replace(".", "\\.")}[^{}]*\\{\\s*unicode-bidi: isolate`));
  }
});
