package dev.berth.server.gpu;

/** Failures for tests of other rooms. */
public final class GpuExceptions {
    private GpuExceptions() {}

    public static GpuException unavailable(String sentence) {
        return new GpuException(sentence);
    }
}
