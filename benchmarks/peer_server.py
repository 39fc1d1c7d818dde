"""The peer's own server, on this machine alone: `python peer_server.py --logdir DIR --host ADDRESS --port PORT`."""

import argparse

from xprof.server import DataProvider, ProfilePluginLoader, TBContext, make_wsgi_app, wsgi

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logdir")
    parser.add_argument("--host")
    parser.add_argument("--port", type=int)
    options = parser.parse_args()
    context = TBContext(options.logdir, DataProvider(options.logdir), TBContext.Flags(False))
    context.hide_capture_profile_button = context.enable_tab_name_label = False
    context.src_prefix = None
    server = wsgi.Server((options.host, options.port), make_wsgi_app(ProfilePluginLoader().load(context)))
    server.prepare()
    print(f"xprof at http://{options.host}:{server.bind_addr[1]}/ (Ctrl-C to quit)", flush=True)
    server.serve()
