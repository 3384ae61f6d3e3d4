package dev.berth.server.log;

import dev.berth.server.log.EngineCopy.DateSet;
import dev.berth.server.log.EngineCopy.Unkept;
import dev.berth.server.log.LogSink.Stream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The file that an {@link EngineCopy} is kept in. */
final class EngineCopyFile {
    private static final NumbersFile FILE = new NumbersFile("log-attempt");

    /** The length of the form that had sums of lost bytes in place of gaps. */
    private static final int OLD_BYTES = 16 * Long.BYTES;

    private static final int NUMBERS = 18;
    private static final int GAP_NUMBERS = 3;

    private EngineCopyFile() {}

    /** The one that is kept; the first attempt's where none is. */
    static EngineCopy read(Path directory) throws IOException {
        Optional<ByteBuffer> content = FILE.read(directory);
        if (content.isEmpty()) {
            return EngineCopy.FIRST;
        }
        int length = content.get().remaining();
        if (length < OLD_BYTES) {
            throw FILE.damaged(directory);
        }
        return length == OLD_BYTES ? ofOld(content.get()) : of(content.get());
    }

    private static EngineCopy of(ByteBuffer bytes) {
        int attempt = Math.toIntExact(bytes.getLong());
        WrittenBytes before = written(bytes);
        long lineMillis = bytes.getLong();
        long setMillis = bytes.getLong();
        long began = bytes.getLong();
        DateSet date = date(bytes);
        Unkept unkept = new Unkept(written(bytes), written(bytes));
        List<Gap> gaps = new ArrayList<>();
        for (long left = bytes.getLong(); left > 0; left--) {
            gaps.add(new Gap(Frames.stream(Math.toIntExact(bytes.getLong())), bytes.getLong(), bytes.getLong()));
        }
        return new EngineCopy(attempt, before, lineMillis, setMillis, began, date, unkept, gaps);
    }

    /** Of several losses it knew where the last one ended, and how much they were in all. */
    private static EngineCopy ofOld(ByteBuffer bytes) {
        int attempt = Math.toIntExact(bytes.getLong());
        WrittenBytes before = written(bytes);
        long _ = bytes.getLong();
        long setMillis = bytes.getLong();
        long began = bytes.getLong();
        WrittenBytes lost = written(bytes);
        WrittenBytes agreed = written(bytes);
        List<Gap> gaps = new ArrayList<>();
        for (Stream stream : List.of(Stream.OUT, Stream.ERR)) {
            if (lost.of(stream) > 0) {
                gaps.add(new Gap(stream, agreed.of(stream) - lost.of(stream), lost.of(stream)));
            }
        }
        Unkept unkept = new Unkept(before, WrittenBytes.NOTHING);
        return new EngineCopy(attempt, before, 0, setMillis, began, date(bytes), unkept, gaps);
    }

    private static WrittenBytes written(ByteBuffer bytes) {
        return new WrittenBytes(bytes.getLong(), bytes.getLong(), bytes.getLong());
    }

    private static DateSet date(ByteBuffer bytes) {
        return new DateSet(bytes.getLong(), bytes.getLong() != 0, bytes.getLong());
    }

    /** On disk when this returns. */
    static void write(Path directory, EngineCopy copy) throws IOException {
        int numbers = NUMBERS + GAP_NUMBERS * copy.gaps().size();
        ByteBuffer bytes = ByteBuffer.allocate(numbers * Long.BYTES).putLong(copy.attempt());
        put(bytes, copy.before());
        bytes.putLong(copy.lineMillis()).putLong(copy.setMillis()).putLong(copy.began());
        DateSet date = copy.date();
        bytes.putLong(date.aheadMillis()).putLong(date.isSetBack() ? 1 : 0).putLong(date.zeroMillis());
        put(bytes, copy.unkept().until());
        put(bytes, copy.unkept().ascii());
        bytes.putLong(copy.gaps().size());
        for (Gap gap : copy.gaps()) {
            bytes.putLong(gap.stream().number()).putLong(gap.position()).putLong(gap.length());
        }
        FILE.write(directory, bytes);
    }

    private static void put(ByteBuffer bytes, WrittenBytes written) {
        bytes.putLong(written.out()).putLong(written.err()).putLong(written.notices());
    }

    static void delete(Path directory) throws IOException {
        FILE.delete(directory);
    }
}
