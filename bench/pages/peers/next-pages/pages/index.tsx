import { AppLink } from "../link";
import { Home } from "../shared/pages";

export const getServerSideProps = () => ({ props: {} });

export default function Page() {
  return <Home Link={AppLink} />;
}
