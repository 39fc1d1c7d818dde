/** Keeps an error in one view from taking the page down with it. */
import { Component, type ComponentChildren } from "preact";
import { ApiError } from "./api";
import { ErrorCard } from "./widgets/states";

interface State {
  error: Error | null;
}

export class Boundary extends Component<{ children: ComponentChildren }, State> {
  override state: State = { error: null };

  static override getDerivedStateFromError(error: Error): State {
    return { error };
  }

  override render() {
    if (!this.state.error) return this.props.children;
    const error = new ApiError(
      `This view could not be drawn: ${this.state.error.message}`,
      "The data is there: other tools, and the CSV export of the command line, still work.",
      0,
    );
    return <ErrorCard error={error} onRetry={() => this.setState({ error: null })} />;
  }
}
