package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.client.JobQuery;
import dev.berth.cli.output.Canvas;
import dev.berth.core.api.GpuHistoryView;
import dev.berth.core.api.GpuView;
import dev.berth.core.api.ServerView;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** {@code berth top}: the GPUs and the jobs, drawn again each second and whenever something happens. */
final class Top implements Verb {
    private static final int LIMIT = 1000;

    @Override
    public Shape shape() {
        return Shape.of("top", "", "Watch the GPUs and the jobs that run and wait, until Ctrl-C.", "")
                .examples("berth top");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        arguments.noWords();
        Watch watch = Watch.on(session, arguments, "berth top").each(Watch.SECOND);
        BerthClient client = session.client();
        return watch.run(client, () -> picture(client, watch.look()));
    }

    private static List<String> picture(BerthClient client, Canvas.Look look) throws IOException {
        ServerView server = client.server();
        List<GpuHistoryView> lately = new ArrayList<>();
        for (GpuView gpu : server.gpus()) {
            lately.add(client.lately(gpu.uuid(), Canvas.curveSeconds()));
        }
        return Canvas.overview(server, lately, client.jobs(JobQuery.of(JobQuery.ACTIVE, LIMIT)), look);
    }
}
