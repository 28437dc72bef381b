import Link from "next/link";
import type { ComponentProps } from "react";
import type { LinkComponent } from "./shared/pages";

export function AppLink({ to, id, early, children }: ComponentProps<LinkComponent>) {
  return (
    <Link href={to} id={id} prefetch={early ?? false}>
      {children}
    </Link>
  );
}
