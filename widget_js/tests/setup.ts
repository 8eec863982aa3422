/** What jsdom lacks and every browser has. */

import { configure } from "@testing-library/dom";

configure({ testIdAttribute: "data-testid" });

if (typeof window !== "undefined") window.matchMedia ??= (media: string) =>
  ({ media, matches: false, addEventListener: () => undefined, removeEventListener: () => undefined }) as unknown as MediaQueryList;
