/** A component that is drawn again only when a property changed identity. Preact keeps this in `preact/compat`, which is 5 kB more. */

import type { ComponentChild, FunctionComponent } from "preact";
import { Component, h } from "preact";

export type SameProps<P> = (before: Readonly<P>, after: Readonly<P>) => boolean;

export function memo<P extends object>(draw: FunctionComponent<P>, isSame: SameProps<P> = isShallowEqual): FunctionComponent<P> {
  class Memo extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      return !isSame(this.props, next);
    }
    override render(props: Readonly<P>): ComponentChild {
      return h(draw, props as P & { children?: never });
    }
  }
  return Memo as unknown as FunctionComponent<P>;
}

export function isShallowEqual<T extends object>(before: T, after: T): boolean {
  const keys = Object.keys(after) as (keyof T)[];
  return keys.length === Object.keys(before).length && keys.every((key) => Object.is(before[key], after[key]));
}
