import type { ReactNode } from "react";
import { LinkedFrame } from "../linked";

export const dynamic = "force-dynamic";
export const metadata = { title: "Measured application" };

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <LinkedFrame>{children}</LinkedFrame>
      </body>
    </html>
  );
}
