package dev.berth.cli.json;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The JSON that records were read from, so that they are printed as the server wrote them, with the fields of which this
 * command does not know. It is forgotten together with the record. Safe for use by any thread.
 */
public final class JsonSources {
    private final Map<Identity, JsonObject> known = new ConcurrentHashMap<>();
    private final ReferenceQueue<Record> forgotten = new ReferenceQueue<>();

    /** The identity of a record: this very one, and none that equals it. */
    private static final class Identity extends WeakReference<Record> {
        private final int hash;

        Identity(Record record, @Nullable ReferenceQueue<Record> queue) {
            super(record, queue);
            hash = System.identityHashCode(record);
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            Record record = get();
            return this == other || (record != null && other instanceof Identity it && it.refersTo(record));
        }
    }

    void keep(Record record, JsonObject source) {
        for (Reference<?> gone = forgotten.poll(); gone != null; gone = forgotten.poll()) {
            known.remove(gone);
        }
        known.put(new Identity(record, forgotten), source);
    }

    /** The JSON on one line; null where the record was made here. */
    @Nullable
    String of(Record record) {
        JsonObject source = known.get(new Identity(record, null));
        return source == null ? null : source.line();
    }
}
