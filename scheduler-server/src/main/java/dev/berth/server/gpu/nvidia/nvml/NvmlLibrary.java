package dev.berth.server.gpu.nvidia.nvml;

import dev.berth.server.linux.NativeFunction;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The functions of a shared library that answer an {@code nvmlReturn_t}, found when they are first called. */
final class NvmlLibrary {
    private static final int SUCCESS = 0;
    private static final long MAX_WORDS_BYTES = 256;

    private final SymbolLookup symbols;
    private final Map<String, Optional<NativeFunction>> functions = new ConcurrentHashMap<>();

    /**
     * Loads it for good: what it does behind a call that never comes back must not be taken away.
     *
     * @param library a path, or a name that the loader looks for in its own places
     * @throws IllegalArgumentException where it cannot be loaded
     */
    @SuppressWarnings("restricted")
    NvmlLibrary(String library) {
        symbols = library.indexOf('/') >= 0
                ? SymbolLookup.libraryLookup(Path.of(library), Arena.global())
                : SymbolLookup.libraryLookup(library, Arena.global());
    }

    boolean has(String function) {
        return symbols.find(function).isPresent();
    }

    /**
     * Calls a function with segments, ints and longs.
     *
     * @throws NvmlException unless it answers success; an old driver's library may lack it
     */
    void call(String function, Object... arguments) {
        int code = answer(function, arguments);
        if (code != SUCCESS) {
            throw new NvmlException(code, words(code));
        }
    }

    /** Calls a function whose answer, a number, is for the caller. */
    int answer(String function, Object... arguments) {
        return functions
                .computeIfAbsent(function, name -> find(name, arguments))
                .map(known -> (int) known.call(arguments))
                .orElse(NvmlException.FUNCTION_NOT_FOUND);
    }

    private Optional<NativeFunction> find(String function, Object... arguments) {
        MemoryLayout[] layouts = new MemoryLayout[arguments.length];
        for (int i = 0; i < arguments.length; i++) {
            layouts[i] = switch (arguments[i]) {
                case MemorySegment _ -> ValueLayout.ADDRESS;
                case Integer _ -> ValueLayout.JAVA_INT;
                case Long _ -> ValueLayout.JAVA_LONG;
                default -> throw new IllegalArgumentException("not an argument for C: " + arguments[i]);
            };
        }
        return symbols.find(function)
                .map(symbol -> new NativeFunction(symbol, FunctionDescriptor.of(ValueLayout.JAVA_INT, layouts)));
    }

    @SuppressWarnings("restricted")
    String words(int code) {
        if (code == NvmlException.FUNCTION_NOT_FOUND) {
            return "Function Not Found";
        }
        return symbols.find("nvmlErrorString")
                .map(symbol ->
                        new NativeFunction(symbol, FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_INT)))
                .map(known -> ((MemorySegment) known.call(code))
                        .reinterpret(MAX_WORDS_BYTES)
                        .getString(0))
                .orElse("error " + code);
    }
}
