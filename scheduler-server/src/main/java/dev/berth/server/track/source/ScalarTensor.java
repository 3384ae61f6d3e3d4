package dev.berth.server.track.source;

import dev.berth.server.track.source.ProtobufReader.Wire;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The one number of a tensor (tensorflow/core/framework/tensor.proto, types.proto). TensorFlow writes the bytes of the
 * elements or a list of numbers; a list that is empty means zeros (tensor::CompressTensorProtoInPlace).
 */
final class ScalarTensor {
    private static final int DTYPE = 1;
    private static final int SHAPE = 2;
    private static final int CONTENT = 4;

    private int dtype;
    private boolean isOne = true;
    private int count;
    private int listField;
    private long bits;
    private long contentPlace;
    private long contentLength;

    /** The number of the tensor that the reader's field is; null where it has another number of elements or another type. */
    static @Nullable Double read(ProtobufReader message, FileWindow file) throws IOException {
        ScalarTensor tensor = new ScalarTensor();
        message.enter();
        for (int field = message.next(); field != 0; field = message.next()) {
            tensor.readField(field, message);
        }
        message.leave();
        return message.isBroken() || !tensor.isOne || tensor.count > 1 ? null : tensor.number(file);
    }

    private void readField(int field, ProtobufReader message) throws IOException {
        Type type = Type.ofField(field);
        if (field == DTYPE && message.is(Wire.VARINT)) {
            dtype = (int) message.bits();
        } else if (field == SHAPE && message.is(Wire.BYTES)) {
            readShape(message);
        } else if (field == CONTENT && message.is(Wire.BYTES)) {
            contentPlace = message.place();
            contentLength = message.length();
        } else if (type != null) {
            readList(field, type, message);
        }
    }

    private void readShape(ProtobufReader message) throws IOException {
        message.enter();
        for (int field = message.next(); field != 0; field = message.next()) {
            if (field == 2 && message.is(Wire.BYTES)) {
                readDimension(message);
            } else if (field == 3 && message.is(Wire.VARINT)) {
                isOne &= message.bits() == 0;
            }
        }
        message.leave();
    }

    private void readDimension(ProtobufReader message) throws IOException {
        long size = 0;
        message.enter();
        for (int field = message.next(); field != 0; field = message.next()) {
            if (field == 1 && message.is(Wire.VARINT)) {
                size = message.bits();
            }
        }
        message.leave();
        isOne &= size == 1;
    }

    private void readList(int field, Type type, ProtobufReader message) throws IOException {
        listField = field;
        if (message.is(type.listWire)) {
            bits = message.bits();
            count++;
        } else if (message.is(Wire.BYTES)) {
            message.enter();
            // The second number is enough to know that it is no scalar.
            while (count <= 1 && message.hasBytes()) {
                bits = message.packed(type.listWire);
                count++;
            }
            message.leave();
        }
    }

    private @Nullable Double number(FileWindow file) throws IOException {
        Type type = Type.of(dtype);
        if (type == null) {
            return null;
        }
        if (contentLength > 0) {
            boolean isWhole = contentLength == type.bytes && file.has(contentPlace, type.bytes);
            return isWhole ? type.number(little(file, type.bytes)) : null;
        }
        return count == 0 ? Double.valueOf(0) : listField == type.listField ? type.number(bits) : null;
    }

    private long little(FileWindow file, int bytes) {
        long value = 0;
        for (int at = bytes - 1; at >= 0; at--) {
            value = (value << Byte.SIZE) | (file.byteAt(contentPlace + at) & 0xFF);
        }
        return value;
    }

    /** The types of elements that are numbers, with the field of their list and how numbers stand in it. */
    private enum Type {
        FLOAT(1, Float.BYTES, 5, Wire.FIXED32),
        DOUBLE(2, Double.BYTES, 6, Wire.FIXED64),
        INT32(3, Integer.BYTES, 7, Wire.VARINT),
        UINT8(4, Byte.BYTES, 7, Wire.VARINT),
        INT16(5, Short.BYTES, 7, Wire.VARINT),
        INT8(6, Byte.BYTES, 7, Wire.VARINT),
        INT64(9, Long.BYTES, 10, Wire.VARINT),
        BOOL(10, Byte.BYTES, 11, Wire.VARINT),
        BFLOAT16(14, Short.BYTES, 13, Wire.VARINT),
        UINT16(17, Short.BYTES, 7, Wire.VARINT),
        HALF(19, Short.BYTES, 13, Wire.VARINT),
        UINT32(22, Integer.BYTES, 16, Wire.VARINT),
        UINT64(23, Long.BYTES, 17, Wire.VARINT);

        private static final double TWO_TO_64 = 0x1p64;

        private final int dtype;
        private final int bytes;
        private final int listField;
        private final Wire listWire;

        Type(int dtype, int bytes, int listField, Wire listWire) {
            this.dtype = dtype;
            this.bytes = bytes;
            this.listField = listField;
            this.listWire = listWire;
        }

        static @Nullable Type of(int dtype) {
            for (Type type : values()) {
                if (type.dtype == dtype) {
                    return type;
                }
            }
            return null;
        }

        static @Nullable Type ofField(int field) {
            for (Type type : values()) {
                if (type.listField == field) {
                    return type;
                }
            }
            return null;
        }

        double number(long bits) {
            return switch (this) {
                case FLOAT -> Float.intBitsToFloat((int) bits);
                case DOUBLE -> Double.longBitsToDouble(bits);
                case HALF -> Float.float16ToFloat((short) bits);
                case BFLOAT16 -> Float.intBitsToFloat((int) bits << Short.SIZE);
                case INT8 -> (byte) bits;
                case INT16 -> (short) bits;
                case INT32 -> (int) bits;
                case INT64 -> bits;
                case UINT8 -> bits & 0xFF;
                case UINT16 -> bits & 0xFFFF;
                case UINT32 -> bits & 0xFFFF_FFFFL;
                case UINT64 -> bits >= 0 ? bits : bits + TWO_TO_64;
                case BOOL -> bits == 0 ? 0 : 1;
            };
        }
    }
}
