package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.client.EventFollower;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.exit.OnInterrupt;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import dev.berth.cli.output.Canvas;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Draws something again whenever a job changes, and now and then for the times in it. It ends by a signal, or when the
 * server stays away; the terminal is as it was before in every case.
 */
public final class Watch {
    /** For what changes all the time. */
    static final Duration SECOND = Duration.ofSeconds(1);

    private static final Duration TICK = Duration.ofSeconds(5);

    /** However much happens, so long each picture stands. */
    private static final Duration LEAST = Duration.ofMillis(200);

    private final Session session;
    private final Canvas canvas;
    private Canvas.Look look;
    private Size size;
    private Duration tick = TICK;

    /** Holds at most one: what happens while one waits is in the next picture anyway. */
    private final BlockingQueue<Boolean> changes = new ArrayBlockingQueue<>(1);

    private volatile String notice = "";
    private volatile @Nullable Exception ended;

    private Watch(Session session, Canvas.Look look, int rows) {
        this.session = session;
        this.look = look;
        this.size = new Size(look.columns(), rows);
        this.canvas = new Canvas(session.environment().screen(), rows);
    }

    /** The picture to show now. */
    interface Picture {
        List<String> lines() throws IOException;
    }

    /** A watch on the terminal; without a terminal it is refused, and {@code what} is told to be what needs it. */
    static Watch on(Session session, Arguments arguments, String what) {
        for (String other : List.of(Shape.JSON, Shape.QUIET)) {
            if (arguments.has(other)) {
                throw Failure.usage(what + " and " + other + " exclude each other; berth events -f " + other
                        + " goes on printing what happens");
            }
        }
        int rows = session.environment().terminal().rows();
        if (rows == 0) {
            throw Failure.usage(what + " draws on a terminal, and standard output is none; berth ps prints the list"
                    + " once, berth events -f a line for whatever happens");
        }
        return new Watch(
                session,
                new Canvas.Look(
                        session.environment().screen().columns(),
                        session.environment().time(),
                        Session.colour(arguments, session.environment()),
                        session.environment().terminal().unicode()),
                rows);
    }

    /** The watch, drawn again after that time at the latest. */
    Watch each(Duration time) {
        tick = time;
        return this;
    }

    /** The look of the next picture. */
    Canvas.Look look() {
        return look;
    }

    int run(BerthClient client, Picture picture) throws IOException {
        List<String> lines = picture.lines();
        EventFollower events = new EventFollower(client, session.environment().pause(), this::tell);
        try (OnInterrupt _ = OnInterrupt.run(canvas::close);
                canvas) {
            Thread thread = new Thread(() -> follow(events), "watch-events");
            thread.setDaemon(true);
            thread.start();
            while (true) {
                canvas.draw(lines, notice);
                awaitChange();
                throwEnd();
                resize();
                lines = again(picture, lines);
            }
        } finally {
            events.stop();
        }
    }

    /** A server that is away leaves the picture as it was; whether it stays away is for the follower to find out. */
    private List<String> again(Picture picture, List<String> before) {
        try {
            return picture.lines();
        } catch (IOException away) {
            return before;
        } catch (Failure refused) {
            if (refused.exitCode() != ExitCode.BERTH_FAILED) {
                throw refused;
            }
            return before;
        }
    }

    private void follow(EventFollower events) {
        try {
            events.follow(_ -> tell(""));
        } catch (IOException | RuntimeException over) {
            ended = over;
            changed();
        }
    }

    private void tell(String sentence) {
        notice = sentence;
        changed();
    }

    private void changed() {
        boolean _ = changes.offer(true);
    }

    private void awaitChange() {
        try {
            session.environment().pause().pause(LEAST);
            Boolean change = changes.poll(tick.toMillis(), TimeUnit.MILLISECONDS);
            if (change == null) {
                return;
            }
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
        }
    }

    private void resize() {
        Size now = session.environment().terminal().size().apply(size);
        if (!now.equals(size)) {
            size = now;
            look = new Canvas.Look(now.columns(), look.time(), look.colour(), look.unicode());
            canvas.resize(now.rows());
        }
    }

    private void throwEnd() throws IOException {
        Exception over = ended;
        if (over instanceof IOException away) {
            throw away;
        }
        if (over instanceof RuntimeException failure) {
            throw failure;
        }
    }
}
