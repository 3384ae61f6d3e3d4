package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import dev.berth.cli.output.Canvas;
import java.io.IOException;

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
        return watch.run(client, () -> Canvas.overview(client.overview(Canvas.curveSeconds(), LIMIT), watch.look()));
    }
}
