import type { AppProps } from "next/app";
import Head from "next/head";
import { AppLink } from "../link";
import { Frame } from "../shared/pages";

export default function App({ Component, pageProps }: AppProps) {
  return (
    <Frame Link={AppLink}>
      <Head>
        <title>Measured application</title>
      </Head>
      <Component {...pageProps} />
    </Frame>
  );
}
