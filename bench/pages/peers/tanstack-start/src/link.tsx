import { Link } from "@tanstack/react-router";
import type { ComponentProps } from "react";
import type { LinkComponent } from "./shared/pages";

export function AppLink({ to, id, early, children }: ComponentProps<LinkComponent>) {
  return (
    <Link to={to} id={id} preload={early ? "intent" : false}>
      {children}
    </Link>
  );
}
