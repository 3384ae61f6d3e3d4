package dev.berth.server.runner.target;

import dev.berth.server.runner.target.TargetEngine.Reading;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/** Keeps what a job has written. */
public record KeptOutput(Handed handed, Map<Stream, ByteArrayOutputStream> kept) implements Reading {
    public static KeptOutput of(Handed handed) {
        Map<Stream, ByteArrayOutputStream> kept = new EnumMap<>(Stream.class);
        for (Stream stream : Stream.values()) {
            kept.put(stream, new ByteArrayOutputStream());
        }
        return new KeptOutput(handed, kept);
    }

    private ByteArrayOutputStream kept(Stream stream) {
        return Objects.requireNonNull(kept.get(stream));
    }

    @Override
    public long known(Stream stream) {
        return kept(stream).size();
    }

    @Override
    public void take(Stream stream, byte[] bytes) {
        kept(stream).writeBytes(bytes);
    }

    public String text(Stream stream) {
        return kept(stream).toString(StandardCharsets.UTF_8);
    }
}
