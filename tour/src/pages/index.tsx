import "../look/home.css";
import { Mark } from "../../../look/mark.tsx";
import { Code } from "../parts/code.tsx";
import { Command } from "../parts/command.tsx";
import { ThisPage } from "../parts/this-page.tsx";
import { ends, promises, specified } from "../promises.ts";
import Order from "./try/orders/[id].tsx";

export default function Home({ data }: PageProps<"/">) {
  return (
    <main className="home wide">
      <title>Holdfast – a visitor never meets a dead end</title>
      <meta
        name="description"
        content="A TypeScript and React framework for page-based web applications, with the error-reporting service built in."
      />
      <Hero />
      <section aria-labelledby="promise">
        <h2 id="promise">What is done for you</h2>
        <ul className="promises">
          {promises.map(({ title, text, to, link }) => (
            <li key={title}>
              <h3>{title}</h3>
              <p>{text}</p>
              <a href={to}>{link}</a>
            </li>
          ))}
        </ul>
      </section>
      <section aria-labelledby="page">
        <h2 id="page">A page is a component, its data a function beside it</h2>
        <p className="lead">
          The file name is the address. What ends in <code>.server.ts</code> never reaches the browser. Types run from
          the one to the other without a line of yours, and dates, maps and big integers arrive as what they were.
        </p>
        <div className="example">
          {data.example.map(({ file, pieces }) => (
            <Code key={file} name={file} pieces={pieces} />
          ))}
          {data.order && (
            <div className="example-page">
              <WindowBar />
              <Order data={data.order} params={{ id: data.order.id }} actions={{}} />
            </div>
          )}
        </div>
        <p>
          <a href="/try/orders/7">See this page run</a>
        </p>
      </section>
      <section aria-labelledby="ends">
        <h2 id="ends">Every click ends in one of seven ways</h2>
        <p className="lead">
          A navigation is a record with a deadline. There is no eighth way, and a model of every order of events is
          checked in the tests.
        </p>
        <dl className="ends">
          {ends.map(({ name, says }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{says}</dd>
            </div>
          ))}
        </dl>
      </section>
      <section aria-labelledby="numbers">
        <h2 id="numbers">Numbers that are promised</h2>
        <ul className="numbers">
          {specified.map(({ value, unit, says, to }) => (
            <li key={says}>
              <a href={to}>
                <strong>
                  {value} <span>{unit}</span>
                </strong>
                <span>{says}</span>
              </a>
            </li>
          ))}
        </ul>
        <ThisPage />
      </section>
    </main>
  );
}

function Hero() {
  return (
    <div className="hero">
      <div>
        <p className="eyebrow">TypeScript and React framework, with its error service built in</p>
        <h1>A visitor never meets a dead end, and no error is ever lost.</h1>
        <p className="lead">
          For shops, back offices and portals: applications with many pages, forms and data that run on a plain Node
          server, without a row of other services beside it.
        </p>
        <div className="buttons">
          <a className="button primary" href="/try/break/load">
            Break something
          </a>
          <a className="button" href="/docs/tutorial">
            Build the first page
          </a>
        </div>
        <Command text="npm create holdfast my-app" />
      </div>
      <figure className="grip" aria-labelledby="grip-caption">
        <div className="grip-page">
          <WindowBar />
          <p className="grip-title">Application error</p>
          <p className="muted small">A server-side exception has occurred.</p>
          <p className="digest">7K2M-9QXD-4TBA</p>
        </div>
        <span className="grip-stem">
          <Mark size={40} />
        </span>
        <figcaption id="grip-caption">
          <strong>One code, one occurrence.</strong> It is on the disk before the page that shows it is sent. Read over
          the telephone, it leads to message, stack and request.
        </figcaption>
      </figure>
    </div>
  );
}

function WindowBar() {
  return (
    <span className="window-bar" aria-hidden="true">
      <i />
      <i />
      <i />
    </span>
  );
}
