import "../look.css";

export default function Frame({ children }: LayoutProps<"/">) {
  return (
    <div className="frame">
      <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
      <header className="head">
        <a className="brand" href="/">
          <img src="/favicon.svg" alt="" width="24" height="24" />
          Notes
        </a>
        <nav aria-label="Application">
          <a href="/break" data-prefetch="none">
            Break something
          </a>
        </nav>
      </header>
      {children}
    </div>
  );
}
