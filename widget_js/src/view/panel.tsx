/**
 * The panel: header, notices, transcript, the running plan, and the prompt or the bar of a recording.
 *
 * Stage: view. A pure function of the document and the state of the connection; what a person did here and the kernel need
 * not know (open rows, the draft) is kept by the session.
 */

import type { JSX } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import type { Document } from "../document";
import { entryOf, isBusy } from "../document";
import { EndedRow } from "../renderers/ended";
import { ErrorRow } from "../renderers/error";
import { planIn } from "../renderers/items";
import { PlanRow } from "../renderers/plan";
import type { PlanSteps } from "../renderers/plan_steps";
import type { Connection, Session } from "../session";
import type { View } from "./context";
import { ViewContext } from "./context";
import { MessageView } from "./message";
import { Prompt } from "./prompt";
import { ReplayBar } from "./replay";
import { Row } from "./row";
import type { Language, Say, WordKey } from "./strings";
import { isWordKey, sayIn } from "./strings";
import { Transcript } from "./transcript";

export interface PanelProps {
  session: Session;
  document: Document;
  connection: Connection;
  language: Language;
  /** CSS length; the panel scrolls inside it. */
  height: string;
  /** Counts what happened to the person's answers, so that rows know when to look again. */
  decisions: number;
}

export function Panel({ session, document, connection, language, height, decisions }: PanelProps): JSX.Element {
  const say = useMemo(() => sayIn(language), [language]);
  const [sent, setSent] = useState(0);
  const panel = useRef<HTMLElement>(null);
  const canAct = connection === "live" && document.source === "live";
  const view = useMemo<View>(
    () => ({ say, language, session, canAct, isLive: document.source === "live" && connection === "live" }),
    [say, language, session, canAct, document.source, connection],
  );
  const title = document.title || say("view.untitled");
  const waiting = waitingCall(document);
  const plan = runningPlan(document, waiting);
  const send = (text: string): void => {
    setSent((n) => n + 1);
    void session.act({ action: "send", text });
  };
  return (
    <ViewContext.Provider value={view}>
      <section
        class="panel"
        ref={panel}
        aria-label={say("view.label", { title })}
        data-testid="aisdk-sidebar"
        data-status={document.status}
        data-connection={connection}
        data-carrier={session.carrierName}
        lang={language === "zh" ? "zh-CN" : "en"}
        style={{ height }}
      >
        <Header title={title} document={document} connection={connection} isWaiting={waiting !== undefined} say={say} />
        <Notice text={noticeText(say, session, document, connection)} />
        <Transcript isBusy={isBusy(document)} sent={sent} version={document}>
          {document.messages.map((message, index) => (
            <MessageView
              key={index}
              message={message}
              index={index}
              document={document}
              hidesPlan={plan !== undefined && index === document.messages.length - 1}
              decisions={decisions}
            />
          ))}
          {isThinking(document) && <Row id="thinking" kind="thinking" status="running" isTimed title={{ name: say("view.thinking") }} />}
          {document.error && <ErrorRow id={`error/${document.messages.length}`} text={document.error.text} />}
          {document.ended && !document.error && !isBusy(document) && <EndedRow id={`ended/${document.ended.messageId}`} state={document.ended.state} />}
          {!document.messages.length && !document.error && <Empty document={document} title={title} say={say} onSend={canAct && !isBusy(document) ? send : undefined} connection={connection} />}
        </Transcript>
        {plan && (
          <div class="pinned">
            <PlanRow id="pinned-plan" steps={plan} isRunning isOpen />
          </div>
        )}
        {document.replay && document.source === "replay" ? (
          <ReplayBar replay={document.replay} canAct={connection === "live"} />
        ) : (
          <Prompt
            title={title}
            isBusy={isBusy(document)}
            isConnecting={connection === "loading"}
            blocked={blockedReason(say, connection, document, waiting)}
            onShow={waiting && connection === "live" ? () => showCall(panel.current!, waiting) : undefined}
            draft={session.draft}
            onDraft={(text) => (session.draft = text)}
            onSend={send}
            onStop={() => void session.act({ action: "stop" })}
          />
        )}
      </section>
    </ViewContext.Provider>
  );
}

interface HeaderProps {
  title: string;
  document: Document;
  connection: Connection;
  isWaiting: boolean;
  say: Say;
}

function Header({ title, document, connection, isWaiting, say }: HeaderProps): JSX.Element {
  const { key, tone } = statusWord(document, connection, isWaiting);
  return (
    <header class="header">
      <span class="title">{title}</span>
      <span class="status" role="status" data-tone={tone}>
        {say(key)}
      </span>
    </header>
  );
}

type Tone = "quiet" | "busy" | "wait" | "bad";

function statusWord(document: Document, connection: Connection, isWaiting: boolean): { key: WordKey; tone: Tone } {
  if (connection === "loading") return { key: "view.status.loading", tone: "quiet" };
  if (connection !== "live") return { key: "view.status.gone", tone: "quiet" };
  if (document.source === "replay" && !isBusy(document)) return { key: "view.status.replay", tone: "quiet" };
  if (isBusy(document)) return { key: `view.status.${document.status as "submitted" | "streaming"}`, tone: "busy" };
  if (isWaiting) return { key: "view.status.waiting", tone: "wait" };
  if (document.status === "error") return { key: "view.status.error", tone: "bad" };
  return { key: "view.status.ready", tone: "quiet" };
}

function Notice({ text }: { text: string | undefined }): JSX.Element | null {
  return text ? (
    <div class="notice" role="status">
      {text}
    </div>
  ) : null;
}

/** The one thing to know about the connection now; words of the kernel that we have no text for are shown as they are. */
function noticeText(say: Say, session: Session, document: Document, connection: Connection): string | undefined {
  if (connection === "gone") return say("view.notice.gone");
  if (connection === "slow") return say("view.notice.slow");
  if (session.actionLost) return say("view.notice.action_lost");
  if (session.unanswered) return say("view.notice.busy_cell");
  if (!document.notice) return undefined;
  const key = `view.notice.${document.notice.replaceAll("-", "_")}`;
  return isWordKey(key) ? say(key) : document.notice;
}

/** Before the first part of an answer there is nothing to draw, but something goes on. */
function isThinking(document: Document): boolean {
  if (!isBusy(document)) return false;
  const last = document.messages.at(-1);
  return last?.role !== "assistant" || !last.parts.some((part) => part.type !== "step-start");
}

/** The first call that waits for the person, if any. */
function waitingCall(document: Document): string | undefined {
  const last = document.messages.at(-1);
  const ids = last?.parts.map((part) => (part as { toolCallId?: string }).toolCallId);
  return ids?.find((id) => id !== undefined && entryOf(document.tools, id)?.status === "waiting");
}

/** The plan of the last message while the exchange goes on or waits for the person. */
function runningPlan(document: Document, waiting: string | undefined): PlanSteps | undefined {
  const last = document.messages.at(-1);
  if (last?.role !== "assistant" || (!isBusy(document) && waiting === undefined)) return undefined;
  return planIn(last);
}

function blockedReason(say: Say, connection: Connection, document: Document, waiting: string | undefined): string | undefined {
  if (connection === "loading") return say("view.status.loading");
  if (connection !== "live") return say("view.blocked.gone");
  if (document.source === "replay") return say("view.blocked.replay");
  return waiting === undefined || isBusy(document) ? undefined : say("view.blocked.waiting");
}

/** Brings a waiting row into view, within the panel alone, and gives the focus to its safe button. */
function showCall(panel: HTMLElement, toolCallId: string): void {
  const viewport = panel.querySelector<HTMLElement>(".viewport");
  const row = [...panel.querySelectorAll<HTMLElement>("[data-tool-call-id]")].find((element) => element.dataset["toolCallId"] === toolCallId);
  if (!viewport || !row) return;
  viewport.scrollTop += row.getBoundingClientRect().top - viewport.getBoundingClientRect().top - 8;
  (row.querySelector<HTMLElement>("[data-safe]") ?? row).focus({ preventScroll: true });
}

interface EmptyProps {
  document: Document;
  title: string;
  say: Say;
  connection: Connection;
  onSend: ((text: string) => void) | undefined;
}

/** Suggestions shown in an empty panel; more would be a menu. */
const MOST_SUGGESTIONS = 3;

function Empty({ document, title, say, onSend, connection }: EmptyProps): JSX.Element | null {
  if (connection === "loading") return null;
  const isReplay = document.source === "replay";
  return (
    <div class="empty">
      <p>{isReplay ? say("view.empty.replay") : say("view.empty", { title })}</p>
      {onSend && (
        <div class="suggestions" role="group" aria-label={say("view.suggestions")}>
          {document.suggestions.slice(0, MOST_SUGGESTIONS).map((text) => (
            <button type="button" class="button suggestion" key={text} onClick={() => onSend(text)}>
              {text}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
