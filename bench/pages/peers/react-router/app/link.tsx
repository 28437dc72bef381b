import type { ComponentProps } from "react";
import { Link } from "react-router";
import type { LinkComponent } from "./shared/pages";

export function AppLink({ to, id, early, children }: ComponentProps<LinkComponent>) {
  return (
    <Link to={to} id={id} prefetch={early ? "intent" : "none"}>
      {children}
    </Link>
  );
}
