// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"os"
	"os/signal"
	"time"

	"gocv.io/x/gocv"
	"gocv.io/x/gocv/cuda"
)

// Detector finds objects in frames.
type Detector struct {
	net    gocv.Net
	blob   gocv.Mat
	labels []string
}

// NewDetector loads a network, or says why it could not.
func NewDetector(model, config string, labels []string) (*Detector, error) {
	net := gocv.ReadNet(model, config)
	if net.Empty() {
		net.Close()
		return nil, fmt.Errorf("cannot read %s", model)
	}
	return &Detector{net: net, labels: labels}, nil
}

// Detect gives the boxes of one frame.
func (d *Detector) Detect(frame *gocv.Mat) []image.Rectangle {
	d.blob.Close()
	d.blob = gocv.BlobFromImage(*frame, 1, image.Pt(300, 300), gocv.NewScalar(0, 0, 0, 0), true, false)
	d.net.SetInput(d.blob, "")
	out := d.net.Forward("")
	defer out.Close()
	rows := out.Reshape(1, out.Total()/7)
	defer rows.Close()
	var boxes []image.Rectangle
	for i := 0; i < rows.Rows(); i++ {
		if rows.GetFloatAt(i, 2) < 0.5 {
			continue
		}
		x := int(rows.GetFloatAt(i, 3) * float32(frame.Cols()))
		y := int(rows.GetFloatAt(i, 4) * float32(frame.Rows()))
		boxes = append(boxes, image.Rect(x, y, x+10, y+10))
	}
	return boxes
}

// Close closes the network and the last blob.
func (d *Detector) Close() error {
	return errors.Join(d.blob.Close(), d.net.Close())
}

// Watch shows what a camera sees until it ends or the user interrupts.
func Watch(device int, d *Detector) error {
	cam, err := gocv.OpenVideoCapture(device)
	if err != nil {
		return fmt.Errorf("open camera %d: %w", device, err)
	}
	defer cam.Close()
	win := gocv.NewWindow("watch")
	defer win.Close()

	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt)
	frame, prev := gocv.NewMat(), gocv.NewMat()
	defer frame.Close()
	defer prev.Close()
	var writer *gocv.VideoWriter
	defer func() {
		if writer != nil {
			writer.Close()
		}
	}()
	for {
		select {
		case <-stop:
			return nil
		default:
		}
		if ok := cam.Read(&frame); !ok {
			return errors.New("camera is gone")
		}
		if frame.Empty() {
			time.Sleep(time.Millisecond)
			continue
		}
		if writer == nil {
			writer, err = gocv.VideoWriterFile("out.avi", "MJPG", 25, frame.Cols(), frame.Rows(), true)
			if err != nil {
				return err
			}
		}
		for _, box := range d.Detect(&frame) {
			gocv.Rectangle(&frame, box, color.RGBA{G: 255}, 2)
			face := frame.Region(box)
			gocv.GaussianBlur(face, &face, image.Pt(75, 75), 0, 0, 0)
			face.Close()
		}
		if moved(frame, prev) {
			if err := writer.Write(frame); err != nil {
				return err
			}
		}
		frame.CopyTo(&prev)
		win.IMShow(frame)
		if win.WaitKey(1) == 27 {
			break
		}
	}
	return nil
}

func moved(a, b gocv.Mat) bool {
	if b.Empty() {
		return true
	}
	diff := gocv.NewMat()
	defer diff.Close()
	gocv.AbsDiff(a, b, &diff)
	return gocv.CountNonZero(diff) > 100
}

// LoadAll reads images until one fails; on failure it closes what it has.
func LoadAll(paths []string) (imgs []gocv.Mat, err error) {
	defer func() {
		if err != nil {
			CloseAll(imgs)
			imgs = nil
		}
	}()
	for _, p := range paths {
		m := gocv.IMRead(p, gocv.IMReadColor)
		if m.Empty() {
			m.Close()
			return imgs, fmt.Errorf("cannot read %s", p)
		}
		imgs = append(imgs, m)
	}
	return imgs, nil
}

// CloseAll closes every image.
func CloseAll(imgs []gocv.Mat) {
	for i := range imgs {
		imgs[i].Close()
	}
}

// Montage merges channels of several images.
func Montage(paths []string) (gocv.Mat, error) {
	imgs, err := LoadAll(paths)
	if err != nil {
		return gocv.Mat{}, err
	}
	defer CloseAll(imgs)
	dst := gocv.NewMat()
	if err := gocv.Merge(imgs, &dst); err != nil {
		dst.Close()
		return gocv.Mat{}, err
	}
	return dst, nil
}

// Upload filters on the device.
func Upload(src gocv.Mat) gocv.Mat {
	stream := cuda.NewStream()
	defer stream.Close()
	in, out := cuda.NewGpuMatFromMat(src), cuda.NewGpuMat()
	defer in.Close()
	defer out.Close()
	cuda.Abs(in, &out)
	stream.WaitForCompletion()
	host := gocv.NewMat()
	out.Download(&host)
	return host
}
