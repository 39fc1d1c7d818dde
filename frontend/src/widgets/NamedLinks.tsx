/** Links to where an op, a kernel or a program appears in the other tools. */
import { linksOf, type Named } from "../links";
import { offered, tool } from "../state";
import { PlaceLink } from "./ToolLink";

export function NamedLinks({ named }: { named: Named }) {
  const links = linksOf(named, offered.value).filter(({ place }) => place.tool !== tool.value);
  return (
    <>
      {links.map(({ label, place }) => (
        <PlaceLink key={label} class="named-link" place={place}>
          {label}
        </PlaceLink>
      ))}
    </>
  );
}
