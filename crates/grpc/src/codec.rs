//! How messages become bytes: as prost has it, in buffers that are no larger than they need be.
//!
//! Ten thousand streams whose clients take nothing each keep a buffer, and so does each call while
//! it is answered. What is gathered before it is sent is little, too: a stream that is not read
//! does its next step only when there is room.

use std::marker::PhantomData;

use prost::Message;
use tonic::codec::{BufferSettings, Codec};
use tonic_prost::{ProstCodec, ProstDecoder, ProstEncoder};

/// Bytes of a buffer at first.
const FIRST: usize = 512;
/// Bytes that are sent once they are there.
const ENOUGH: usize = 8 << 10;

/// Messages of type `T` out, of type `U` in.
pub struct Small<T, U>(PhantomData<(T, U)>);

impl<T, U> Default for Small<T, U> {
    fn default() -> Self {
        Small(PhantomData)
    }
}

impl<T, U> Codec for Small<T, U>
where
    T: Message + Send + 'static,
    U: Message + Default + Send + 'static,
{
    type Encode = T;
    type Decode = U;
    type Encoder = ProstEncoder<T>;
    type Decoder = ProstDecoder<U>;

    fn encoder(&mut self) -> Self::Encoder {
        ProstCodec::<T, U>::raw_encoder(BufferSettings::new(FIRST, ENOUGH))
    }

    fn decoder(&mut self) -> Self::Decoder {
        ProstCodec::<T, U>::raw_decoder(BufferSettings::new(FIRST, ENOUGH))
    }
}
