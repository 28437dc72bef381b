export default function Layout({ children }: LayoutProps<"/">) {
  return (
    <>
      <title>Measured application</title>
      <header>
        <nav>
          <a href="/" id="nav-home">
            Home
          </a>
          <a href="/items" id="nav-items">
            Items
          </a>
          <a href="/about" id="nav-about">
            About
          </a>
        </nav>
      </header>
      <main>{children}</main>
      <footer>Measured application</footer>
    </>
  );
}
