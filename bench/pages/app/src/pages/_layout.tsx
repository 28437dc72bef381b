import { Link } from "holdfast";
import { useEffect } from "react";

export default function Layout({ children }: LayoutProps<"/">) {
  useEffect(() => {
    performance.mark("alive");
  }, []);
  return (
    <>
      <title>Measured application</title>
      <header>
        <nav>
          <Link to="/" id="nav-home">
            Home
          </Link>
          <Link to="/items" id="nav-items">
            Items
          </Link>
          <Link to="/about" id="nav-about">
            About
          </Link>
        </nav>
      </header>
      <main>{children}</main>
      <footer>Measured application</footer>
    </>
  );
}
