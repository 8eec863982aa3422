/** The bar of a recording, in place of the prompt: play, pause, from the start, speed, position. */

import type { JSX } from "preact";
import type { Action, ReplayState } from "../document";
import { useView } from "./context";
import { Glyph } from "./glyph";
import { clockSeconds } from "./time";

/** Times the recorded speed; 0 stands for "at once". */
const SPEEDS: readonly number[] = [0.25, 0.5, 1, 2, 5, 10, 100, 0];

type ReplayAction = Omit<Extract<Action, { action: "replay" }>, "action">;

export function ReplayBar({ replay, canAct }: { replay: ReplayState; canAct: boolean }): JSX.Element {
  const { say, session } = useView();
  const act = (action: ReplayAction): void => {
    if (canAct) void session.act({ action: "replay", ...action });
  };
  const { playing, speed, position_ms: position, duration_ms: duration } = replay;
  const isAtEnd = position >= duration;
  const clock = `${clockSeconds(position, duration)} / ${say("view.seconds", { n: clockSeconds(duration, duration) })}`;
  const speeds = SPEEDS.includes(speed) ? SPEEDS : [speed, ...SPEEDS];
  return (
    <div class="replay" role="group" aria-label={say("view.replay")}>
      <button
        type="button"
        class="icon-button"
        aria-label={say(playing ? "view.replay.pause" : "view.replay.play")}
        aria-disabled={!canAct || undefined}
        onClick={() => act({ command: playing ? "pause" : isAtEnd ? "restart" : "play" })}
      >
        <Glyph name={playing ? "pause" : "play"} />
      </button>
      <button
        type="button"
        class="icon-button"
        aria-label={say("view.replay.restart")}
        title={say("view.replay.restart")}
        aria-disabled={!canAct || undefined}
        onClick={() => act({ command: "restart" })}
      >
        <Glyph name="restart" />
      </button>
      <input
        type="range"
        class="replay-position"
        aria-label={say("view.replay.position")}
        aria-valuetext={clock}
        min={0}
        max={Math.max(1, Math.ceil(duration))}
        step={1}
        value={position}
        onChange={(event) => act({ command: "seek", positionMs: Number(event.currentTarget.value) })}
      />
      <span class="replay-clock">{clock}</span>
      <select
        class="replay-speed"
        aria-label={say("view.replay.speed")}
        value={String(speed)}
        onChange={(event) => act({ command: playing ? "play" : "pause", speed: Number(event.currentTarget.value) })}
      >
        {speeds.map((value) => (
          <option key={value} value={String(value)}>
            {value === 0 ? say("view.replay.instant") : `${value}×`}
          </option>
        ))}
      </select>
    </div>
  );
}
