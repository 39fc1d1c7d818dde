/** A link to another place of the page: `framework_op_stats` or `trace_viewer?search=conv2d`; other addresses open beside. */
import type { ComponentChildren } from "preact";
import { go, hrefOf, titles, type Place } from "../state";

export function ToolLink({ link, children }: { link: string; children: ComponentChildren }) {
  const match = /^([a-z][a-z0-9_]*)(?:\?(.*))?$/.exec(link);
  if (!match) {
    return (
      <a href={link} target="_blank" rel="noreferrer">
        {children}
      </a>
    );
  }
  const params = Object.fromEntries(new URLSearchParams(match[2] ?? ""));
  return <PlaceLink place={{ tool: match[1] as string, params }}>{children}</PlaceLink>;
}

/** The title of the tool that `link` leads to. */
export function titleOf(link: string): string {
  const name = link.replace(/\?.*/, "");
  return titles.value[name] ?? name.replaceAll("_", " ");
}

interface PlaceLinkProps {
  place: Place;
  children: ComponentChildren;
  class?: string;
}

/** A real link, so that it can be copied and opened in a new tab, which does not reload the page. */
export function PlaceLink({ place, children, ...rest }: PlaceLinkProps) {
  const onClick = (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    go(place);
  };
  return (
    <a href={hrefOf(place)} target="_top" onClick={onClick} {...rest}>
      {children}
    </a>
  );
}
