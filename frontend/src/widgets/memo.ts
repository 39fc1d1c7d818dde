/** A component that is drawn again only when one of its properties has changed. */
import { Component, h, type ComponentChild, type FunctionComponent } from "preact";

export function memo<P extends object>(Inner: FunctionComponent<P>) {
  return class Memo extends Component<P> {
    override shouldComponentUpdate(next: P): boolean {
      const names = Object.keys(next) as (keyof P)[];
      return names.some((name) => next[name] !== (this.props as P)[name]);
    }

    override render(): ComponentChild {
      return h(Inner, this.props as P);
    }
  };
}
