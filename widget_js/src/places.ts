/**
 * The places for open event streams in this page: few, because a browser gives all of one server's tabs six connections.
 *
 * Stage: page. A stream holds its connection for as long as it is open, and everything else of the page (saving, opening a
 * file, our own actions) needs one too. Each widget loads a copy of this module of its own, so the count is kept where all
 * copies see it. Who finds no place waits for one and stays with the comm meanwhile.
 */

/** Streams that may be open at once: Chromium, Firefox and Safari allow 6 connections by HTTP/1.1 to one host. */
export const PLACES = 2;

interface Shared {
  taken: number;
  waiting: (() => void)[];
}

// The number changes when the shape of `Shared` does: a page may hold widgets of two versions.
const KEY = Symbol.for("aisdk-lab.places.1");

function shared(): Shared {
  const page = globalThis as unknown as Record<symbol, Shared | undefined>;
  return (page[KEY] ??= { taken: 0, waiting: [] });
}

/**
 * Calls `onTaken` once, as soon as there is a place: within this call, or when somebody gives one back.
 *
 * Gives the function that gives the place back, or leaves the queue when none was had yet; calling it again does nothing.
 */
export function takePlace(onTaken: () => void): () => void {
  const places = shared();
  let state: "waiting" | "taken" | "returned" = "waiting";
  const take = (): void => {
    state = "taken";
    places.taken++;
    onTaken();
  };
  if (places.taken < PLACES) take();
  else places.waiting.push(take);
  return () => {
    if (state === "waiting") places.waiting.splice(places.waiting.indexOf(take), 1);
    if (state === "taken") {
      places.taken--;
      places.waiting.shift()?.();
    }
    state = "returned";
  };
}
