/**
 * The table of renderers, checked: a kind without a renderer does not compile.
 *
 * To add one: a kind in `_contract.ts`, a file with the component and its samples, a row here, a row in the tests.
 */

import type { ComponentChild, FunctionComponent, JSX } from "preact";
import { Component } from "preact";
import { useView } from "../view/context";
import { isShallowEqual, memo } from "../view/memo";
import { Row } from "../view/row";
import { Detail } from "../view/value";
import type { Item, Kind, Place, Renderer } from "./_contract";
import { Data } from "./data";
import { File } from "./file";
import { Plan } from "./plan";
import { Reasoning } from "./reasoning";
import { Sources } from "./sources";
import { Steering } from "./steering";
import { Step } from "./step";
import { Text } from "./text";
import { Tool } from "./tool";
import { Unknown } from "./unknown";

export const renderers = {
  text: Text,
  reasoning: Reasoning,
  tool: Tool,
  plan: Plan,
  sources: Sources,
  file: File,
  data: Data,
  step: Step,
  steering: Steering,
  unknown: Unknown,
} as const satisfies { [K in Kind]: Renderer<K> };

interface ItemProps {
  item: Item;
  place: Place;
  /** Not read: a change of it draws the row again, because its buttons depend on it. */
  underway?: string | undefined;
}

/** One item, drawn again only when its parts, its place or its state changed; never able to break its neighbours. */
export function drawItem(item: Item, place: Place, underway?: string): JSX.Element {
  return <ItemView key={item.id} item={item} place={place} underway={underway} />;
}

const ItemView = memo<ItemProps>(
  function ItemView({ item, place }) {
    const Draw = renderers[item.kind] as FunctionComponent<{ value: Item["value"]; place: Place }>;
    return (
      <Guard item={item}>
        <Draw value={item.value} place={place} />
      </Guard>
    );
  },
  (before, after) =>
    before.underway === after.underway && isSameValue(before.item, after.item) && isSamePlace(before.place, after.place),
);

/** Items are made anew with each change of their message; the parts in them are not, unless they changed. */
function isSameValue(before: Item, after: Item): boolean {
  if (before.kind !== after.kind) return false;
  if (Array.isArray(before.value) && Array.isArray(after.value)) return isShallowEqual<object>(before.value, after.value);
  const isMadeHere = after.kind === "step" || after.kind === "steering";
  return isMadeHere ? isShallowEqual<object>(before.value, after.value) : before.value === after.value;
}

function isSamePlace(before: Place, after: Place): boolean {
  return isShallowEqual(before, after);
}

/** Keeps an error in one row: a part may hold anything, and the rest of the conversation must stay readable. */
class Guard extends Component<{ item: Item; children: ComponentChild }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static override getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override componentDidCatch(error: unknown): void {
    console.error("[aisdk-lab] a part could not be drawn:", error);
  }

  override render(): ComponentChild {
    return this.state.hasFailed ? <Broken item={this.props.item} /> : this.props.children;
  }
}

function Broken({ item }: { item: Item }): JSX.Element {
  const { say } = useView();
  return (
    <Row
      id={`${item.id}/broken`}
      kind="broken"
      status="unknown"
      title={{ name: say("view.broken_part") }}
      detail={() => <Detail label="view.part" value={JSON.parse(JSON.stringify(item.value)) as never} />}
    />
  );
}
