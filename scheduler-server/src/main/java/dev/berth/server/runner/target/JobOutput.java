package dev.berth.server.runner.target;

import dev.berth.core.machine.Attempt;
import dev.berth.server.code.Workspaces;
import dev.berth.server.log.LogSink;
import dev.berth.server.runner.target.TargetEngine.Reading;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;

/** The way of what a program writes at a target into the log that is kept here, and into the file of its metrics. */
record JobOutput(Followed followed, Workspaces workspaces) implements Reading {
    @Override
    public Handed handed() {
        return followed.handed;
    }

    @Override
    public long known(Stream stream) {
        return switch (stream) {
            case OUTPUT -> followed.log().ofAttempt(LogSink.Stream.OUT);
            case ERROR -> followed.log().ofAttempt(LogSink.Stream.ERR);
            case TRACK -> isLast() ? trackSize() : followed.passedOver;
        };
    }

    /** Else the file of metrics is the next attempt's by now, as where a server was killed before it had all of this one. */
    private boolean isLast() {
        return Attempt.of(followed.job).equals(followed.handed.attempt());
    }

    private long trackSize() {
        try {
            return workspaces.trackSize(followed.job);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void take(Stream stream, byte[] bytes) throws IOException {
        switch (stream) {
            case OUTPUT -> write(LogSink.Stream.OUT, bytes);
            case ERROR -> write(LogSink.Stream.ERR, bytes);
            case TRACK -> {
                if (isLast()) {
                    workspaces.appendTrack(followed.job, bytes);
                } else {
                    followed.passedOver += bytes.length;
                }
            }
        }
    }

    /** A log that takes no more is opened anew the next time, and goes on where it ends. */
    private void write(LogSink.Stream stream, byte[] bytes) throws IOException {
        followed.log().write(stream, ByteBuffer.wrap(bytes));
        if (!followed.log().isWhole()) {
            followed.closeLog();
            throw new IOException("the log of job " + followed.job.number() + " cannot be written");
        }
    }
}
