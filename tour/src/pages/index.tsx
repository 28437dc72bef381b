import "../look/home.css";
import { Code } from "../parts/code.tsx";
import { Command } from "../parts/command.tsx";
import { Story } from "../parts/story.tsx";
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
      {data.thrown && (
        <figure className="story-frame">
          <Story {...data.thrown} />
          <figcaption>
            The error of <a href="/try/break/load">this page</a>, its real code and an example of a digest.
          </figcaption>
        </figure>
      )}
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
              <p className="window-bar">/try/orders/7</p>
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
      <h1>A visitor never meets a dead end, and no error is ever lost.</h1>
      <div>
        <p className="lead">
          A TypeScript and React framework for shops, back offices and portals, with its error service and console built
          in. One plain Node server, no row of other services beside it.
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
    </div>
  );
}
