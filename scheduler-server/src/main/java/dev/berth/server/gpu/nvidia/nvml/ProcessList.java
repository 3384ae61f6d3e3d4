package dev.berth.server.gpu.nvidia.nvml;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** The functions that fill a list of unknown length. */
final class ProcessList {
    private static final int FIRST_ROOM = 64;
    private static final int MAX_ROOM = 1 << 14;

    private ProcessList() {}

    /** More room at each try, since processes come while one asks. */
    static List<Nvml.RunningProcess> read(NvmlLibrary library, String function, Nvml.Device device) {
        for (int room = FIRST_ROOM; ; room *= 4) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment count = arena.allocateFrom(ValueLayout.JAVA_INT, room);
                MemorySegment infos = arena.allocate(Structures.PROCESS_INFO, room);
                int code = library.answer(function, device.handle(), count, infos);
                if (code == NvmlException.INSUFFICIENT_SIZE && room < MAX_ROOM) {
                    continue;
                }
                if (code != 0) {
                    throw new NvmlException(code, library.words(code));
                }
                return list(infos, Math.min(room, count.get(ValueLayout.JAVA_INT, 0)));
            }
        }
    }

    private static List<Nvml.RunningProcess> list(MemorySegment infos, int count) {
        List<Nvml.RunningProcess> processes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            processes.add(Structures.process(infos, i));
        }
        return processes;
    }
}
