// vite is pinned to 7 in package.json: 8.4.0 names an optional package that is nowhere to be had, and `npm ci` refuses.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    environment: "jsdom", // DOMPurify needs a DOM that parses as browsers do; happy-dom is not one of those
    include: ["tests/**/*.test.{ts,tsx}"],
    setupFiles: ["tests/setup.ts"],
    restoreMocks: true,
  },
});
